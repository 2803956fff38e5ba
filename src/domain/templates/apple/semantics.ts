import * as z from 'zod';
import { refuseIn } from '../refuse.ts';
import { TAG_KINDS } from './semantic-tags.ts';

/** Tags by name, in Apple's own form (`SemanticTags`). */
export const Semantics = z
  .record(z.string(), z.unknown())
  .superRefine((tags, check) => {
    const refuse = refuseIn(check);
    for (const [tag, value] of Object.entries(tags)) {
      const kind = Object.hasOwn(TAG_KINDS, tag) ? TAG_KINDS[tag] : undefined;
      if (!kind) refuse([tag], 'is not a semantic tag of Apple Wallet');
      if (!kind || value === null || value === undefined) continue;
      const result = kind.schema.safeParse(value);
      for (const { path, message } of result.error?.issues ?? []) refuse([tag, ...path], message);
    }
  })
  .describe(
    'Tags of Apple’s SemanticTags by their names; https://developer.apple.com/documentation/walletpasses/semantictags',
  );
export type Semantics = z.infer<typeof Semantics>;
