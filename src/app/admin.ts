import { admin } from '../admin/route.ts';
import { mounted, newApp } from './new-app.ts';

/** Surface for operators. */
export const app = newApp();

app.route('/admin', mounted(admin));
