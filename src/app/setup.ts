import { useDirectory } from '../api/observe.ts';
import { repeatHandlers } from '../api/repeat.ts';
import { setupRoutes } from '../pages/setup/route.tsx';
import { mounted, newApp } from './new-app.ts';

/** Surface of the page that creates the first account. */
export const app = newApp();

app.use(useDirectory);
app.route('/', repeatHandlers(mounted(setupRoutes)));
