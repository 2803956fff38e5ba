import { useDirectory } from '../api/observe.ts';
import { repeatHandlers } from '../api/repeat.ts';
import { scannerRoutes } from '../pages/scanner/route.tsx';
import { mounted, newApp } from './new-app.ts';

/** Surface of the scanner app. */
export const app = newApp();

app.use(useDirectory);
app.route('/', repeatHandlers(mounted(scannerRoutes)));
