import { repeatHandlers } from '../api/repeat.ts';
import { passFileRoutes } from '../wallets/apple/route.ts';
import { WEB_SERVICE_PATHS, webServiceRoutes } from '../wallets/apple/web-service/route.ts';
import { googleCallbackRoutes } from '../wallets/google/route.ts';
import { messageRoutes } from '../wallets/messages/route.ts';
import { mounted, newApp } from './new-app.ts';

/** Surface for phones and providers. */
export const app = newApp();

app.route('/', repeatHandlers(mounted(passFileRoutes)));
const webService = repeatHandlers(mounted(webServiceRoutes));
for (const path of WEB_SERVICE_PATHS) app.route(path, webService);
app.route('/', repeatHandlers(mounted(messageRoutes)));
app.route('/', repeatHandlers(mounted(googleCallbackRoutes)));
