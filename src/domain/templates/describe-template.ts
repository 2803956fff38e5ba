import type { AccountContext } from '../context.ts';
import { IMAGE_ROLES } from '../images/stored-image.ts';
import type { StoredDefinition } from './definition.ts';
import { getTemplate } from './get-template.ts';
import { mapImages } from './google/members.ts';

/** Returns the wire form with image URLs of our store; create and update accept it. Throws not found. */
export async function describeTemplate(ctx: AccountContext, id: string): Promise<Record<string, unknown>> {
  const { template, definition } = await getTemplate(ctx, id);
  return { identifier: template.id, ...wireDefinition(ctx, definition) };
}

/** Returns a stored definition as callers read and write it. */
export function wireDefinition(ctx: AccountContext, definition: StoredDefinition): Record<string, unknown> {
  const addresses = IMAGE_ROLES.map((role) => {
    const image = definition.images[role];
    return [role, image ? imageUrl(ctx.baseUrl, image.sha256) : null];
  });
  return {
    ...definition,
    images: { ...Object.fromEntries(addresses), perPassImages: definition.images.perPassImages },
    ...(definition.google && { google: mapImages(definition.google, ({ sha256 }) => imageUrl(ctx.baseUrl, sha256)) }),
  };
}

/** Returns the public URL of an imported image. */
export function imageUrl(baseUrl: string, sha256: string): string {
  return `${baseUrl}/images/${sha256}`;
}
