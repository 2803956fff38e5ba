import { useDirectory } from '../api/observe.ts';
import { repeatHandlers } from '../api/repeat.ts';
import { consoleRoutes } from '../pages/console/route.tsx';
import { mounted, newApp } from './new-app.ts';

/** What customers open. */
export const app = newApp();

app.use(useDirectory);
app.route('/', repeatHandlers(mounted(consoleRoutes)));
