import type { Account } from '../accounts/table.ts';
import type { OmittedImage, Origin } from './stored-definition.ts';

/** Images that an account has for its new templates, by role and by the name of its setting. */
export const DEFAULT_IMAGES = [
  { role: 'icon', of: 'iconUrl' },
  { role: 'logo', of: 'logoUrl' },
] as const;

/** A new template, and what is missing in it. */
export interface CreatedTemplate {
  identifier: string;
  /** Default images of the account that could not be imported. */
  omitted: OmittedImage[];
}

/** Those that the account has. */
export function defaultImagesOf(account: Account) {
  return DEFAULT_IMAGES.filter(({ of }) => account[of]);
}

/** The origin of a definition that takes these images; what is left out is added to `omitted`. */
export function originOfDefaults(taken: readonly (typeof DEFAULT_IMAGES)[number][], omitted: OmittedImage[]): Origin {
  return {
    imageFields: Object.fromEntries(taken.map(({ role, of }) => [role, `images.${role} (${of} of the account)`])),
    defaults: { roles: taken.map(({ role }) => role), omit: (image) => omitted.push(image) },
  };
}
