import * as z from 'zod';
import type { OmittedImage } from '../domain/templates/stored-definition.ts';
import { text } from './view-fields.ts';

/** Default images that a new template had to do without; absent if there are none. */
export const Warnings = z
  .array(
    text(
      'images.logo (logoUrl of the account): image is not importable from URL (the server answered with status ' +
        '404); the template was created without it',
    ),
  )
  .optional()
  .describe('Default images of the account that could not be fetched; absent when there are none');

/** Returns the `warnings` member of a reply for a new template. */
export function warningsOf(omitted: OmittedImage[]): { warnings?: string[] } {
  return omitted.length > 0 ? { warnings: omitted.map(({ warning }) => warning) } : {};
}
