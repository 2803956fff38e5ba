import { useDirectory } from '../api/observe.ts';
import { devRoutes } from '../dev/routes.ts';
import { mounted, newApp } from './new-app.ts';

/** Surface that only a local service has. */
export const app = newApp();

app.use(useDirectory);
app.route('/', mounted(devRoutes));
