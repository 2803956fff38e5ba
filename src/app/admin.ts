import { admin } from '../admin/route.ts';
import { mounted, newApp } from './new-app.ts';

/** What operators call. */
export const app = newApp();

app.route('/admin', mounted(admin));
