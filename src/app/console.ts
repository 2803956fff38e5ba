import { useDirectory } from '../api/observe.ts';
import { repeatHandlers } from '../api/repeat.ts';
import { consoleRoutes } from '../pages/console/route.tsx';
import { setupRoutes } from '../pages/setup/route.tsx';
import { mounted, newApp } from './new-app.ts';

/** The surface for members of accounts, and the page that creates the first account. */
export const app = newApp();

app.use(useDirectory);
app.route('/', repeatHandlers(mounted(setupRoutes)));
app.route('/', repeatHandlers(mounted(consoleRoutes)));
