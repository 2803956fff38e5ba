import { useDirectory } from '../api/observe.ts';
import { repeatHandlers } from '../api/repeat.ts';
import { docsRoutes } from '../pages/docs/route.tsx';
import { downloadRoutes } from '../pages/download/route.tsx';
import { homeRoutes } from '../pages/home/route.tsx';
import { personExportRoutes } from '../pages/person-exports/route.ts';
import { mounted, newApp } from './new-app.ts';

/** Surface for everyone: pages that need no account. */
export const app = newApp();

app.use(useDirectory);
app.route('/', mounted(docsRoutes(async () => (await import('./api.ts')).contract())));
app.route('/', repeatHandlers(mounted(homeRoutes)));
app.route('/', repeatHandlers(mounted(personExportRoutes)));
app.route('/', repeatHandlers(mounted(downloadRoutes)));
