import { onErrorV2 } from '../envelope.ts';
import { apiVersion } from '../version.ts';
import { passRoutes } from './pass.ts';
import { passBundleRoutes } from './pass-bundle.ts';
import { passTemplateRoutes } from './pass-template.ts';

/** Version 2 of the API, mounted at `/api/v2`. */
export const v2 = apiVersion(onErrorV2, [
  ['/pass', passRoutes],
  ['/pass-bundle', passBundleRoutes],
  ['/pass-template', passTemplateRoutes],
]);
