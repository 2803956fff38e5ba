import { Hono } from 'hono';
import { createFactory } from 'hono/factory';
import * as z from 'zod';
import { chooseGoogleIssuer } from '../../domain/certificates/find-google-issuer.ts';
import { within } from '../../domain/errors.ts';
import { OwnId } from '../../domain/fields.ts';
import { deletePass } from '../../domain/passes/deletion/delete-pass.ts';
import type { Pass } from '../../domain/passes/table.ts';
import { deletePassFiles } from '../../wallets/apple/pass-file-cache.ts';
import { issuePass, reissueLinks, reissuePass } from '../../wallets/issue-pass.ts';
import { walletLinks } from '../../wallets/links.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema, NoData } from '../envelope.ts';
import { PASS_FIELDS_EXAMPLE, TEMPLATE_ID_EXAMPLE } from '../examples.ts';
import { PASS_IS_BUSY, TEMPLATE_IS_BUSY } from '../failures.ts';
import { Flag, operationsWith, validate } from '../operation.ts';
import {
  CreateBody,
  readCreateAhead,
  readPassWithIssuersAhead,
  readUpdateAhead,
  skipOnRepeat,
  toShownPass,
  UpdateBody,
} from '../pass-ahead.ts';
import { readAhead } from '../read-ahead.ts';
import { PassCreatedView, PassRowView, passCreatedView, passRowView } from './pass-view.ts';

const operation = operationsWith({ tag: 'Passes' });

const WriteQuery = z.object({ async: Flag.default(true) });
const ReadQuery = z.object({
  formatKeyAdditionalProperties: z.enum(['id', 'name']).default('id'),
  appConfigurationId: OwnId.optional(),
});
const REPLACE_TEXT = 'Clears writable fields that you leave out, except barcode value and bundle.';
const PATCH_TEXT = 'Changes only the fields that you send; null clears a field.';

/** Fields that a pass has only if its template has this option. */
const OPTION_OF = { downloadPin: 'downloadPinEnabled', groupingIdentifier: 'groupingIdentifierEnabled' } as const;

/** Names sent fields that the pass doesn't have because of its template: a caller relies on a PIN, for example. */
function withoutUnused(sent: Record<string, unknown>, pass: Pick<Pass, keyof typeof OPTION_OF>): string {
  const unused = Object.entries(OPTION_OF).filter(
    ([name]) => (sent[name] ?? '') !== '' && pass[name as keyof typeof OPTION_OF] === null,
  );
  const named = unused.map(([name, option]) => `${name} (the template needs ${option})`);
  return named.length > 0 ? `; not stored: ${named.join(', ')}` : '';
}

/** Returns the handlers of an update. Replace and partial update differ only in `mode`. */
function updateOperation(id: string, summary: string, description: string, mode: 'replace' | 'patch') {
  return createFactory<ApiEnv>().createHandlers(
    operation({
      id,
      summary,
      description,
      scope: 'passes:write',
      example: { data: PASS_FIELDS_EXAMPLE },
      replies: { 200: { description: 'Updated', schema: envelopeV3Schema(PassCreatedView) } },
      conflict: PASS_IS_BUSY,
    }),
    validate('query', WriteQuery),
    readAhead('json', UpdateBody, (key, { data }, { id }) => readUpdateAhead(key, id, data.bundleId)),
    async (c) => {
      const { ctx, ahead } = c.var;
      const read = skipOnRepeat(ctx, ahead);
      const wait = !c.req.valid('query').async;
      const { data: sent } = c.req.valid('json');
      const changed = await within('data', () => reissuePass(ctx, c.req.param('id')!, sent, { mode, wait, read }));
      const { pass, definition, links } = changed;
      const data = passCreatedView(ctx, pass, definition, links, pass.barcodeValue);
      return envelopeV3(c, { description: `Pass updated${withoutUnused(sent, pass)}`, data, count: 1 });
    },
  );
}

export const passRoutes = new Hono<ApiEnv>()
  .post(
    '/',
    operation({
      id: 'createPassV3',
      summary: 'Create a pass',
      description:
        'With `async=true` (default), the pass is stored when you get the reply, but the reply leaves out a generated ' +
        'barcode value. The values of a pass can have at most 65,536 characters together.',
      scope: 'passes:write',
      example: { data: { templateId: TEMPLATE_ID_EXAMPLE, ...PASS_FIELDS_EXAMPLE } },
      replies: { 200: { description: 'Created', schema: envelopeV3Schema(PassCreatedView) } },
      failures: [404],
      conflict: TEMPLATE_IS_BUSY,
    }),
    validate('query', WriteQuery),
    readAhead('json', CreateBody, (key, { data }) => readCreateAhead(key, data.templateId, data.bundleId)),
    async (c) => {
      const { ctx, ahead } = c.var;
      const read = skipOnRepeat(ctx, ahead);
      const { templateId, ...sent } = c.req.valid('json').data;
      const wait = !c.req.valid('query').async;
      const issued = await within('data', () => issuePass(ctx, templateId, sent, { wait, read }));
      const { pass, fields, template, links } = issued;
      const known = wait || Boolean(fields.barcodeValue);
      const data = passCreatedView(ctx, pass, template.definition, links, known ? pass.barcodeValue : null);
      return envelopeV3(c, { description: `Pass created${withoutUnused(sent, pass)}`, data, count: 1 });
    },
  )
  .post('/:id', ...updateOperation('replacePassV3', 'Replace a pass', REPLACE_TEXT, 'replace'))
  .patch('/:id', ...updateOperation('updatePassV3', 'Update a pass', PATCH_TEXT, 'patch'))
  .post(
    '/:id/rotate-links',
    operation({
      id: 'rotatePassLinksV3',
      summary: 'Rotate the links of a pass',
      description:
        'Replaces the secrets in the links of the download page and the pass file. The old links return 404 at ' +
        'once. Wallets keep the pass, and get a new version if the pass shows `{downloadPage}`. The link of a ' +
        'bundle does not change: to replace it, move its passes to a bundle with another `bundleId`. Google ' +
        'save links stay valid, because Google has no way to revoke them.',
      scope: 'passes:write',
      replies: { 200: { description: 'Rotated', schema: envelopeV3Schema(PassCreatedView) } },
      conflict: PASS_IS_BUSY,
    }),
    validate('query', WriteQuery),
    async (c) => {
      const { ctx } = c.var;
      const wait = !c.req.valid('query').async;
      const { pass, definition, links } = await reissueLinks(ctx, c.req.param('id'), { wait });
      const data = passCreatedView(ctx, pass, definition, links, pass.barcodeValue);
      return envelopeV3(c, { description: 'Links rotated', data, count: 1 });
    },
  )
  .get(
    '/:id',
    operation({
      id: 'readPassV3',
      summary: 'Get a pass',
      scope: 'passes:read',
      replies: { 200: { description: 'The pass', schema: envelopeV3Schema(PassRowView) } },
    }),
    readAhead('query', ReadQuery, (key, query, { id }) => readPassWithIssuersAhead(key, id, query.appConfigurationId)),
    async (c) => {
      const { ctx, ahead } = c.var;
      const [subject, issuers] = ahead;
      const { formatKeyAdditionalProperties: keys, appConfigurationId } = c.req.valid('query');
      const { pass, shown, definition, version } = toShownPass(subject, appConfigurationId);
      const links = await walletLinks(ctx, pass, version, chooseGoogleIssuer(issuers));
      const data = passRowView(ctx, shown, definition, links, keys);
      return envelopeV3(c, { description: 'Pass', data, count: 1 });
    },
  )
  .delete(
    '/:id',
    operation({
      id: 'deletePassV3',
      summary: 'Delete a pass',
      scope: 'passes:write',
      replies: { 200: { description: 'Deleted', schema: envelopeV3Schema(NoData) } },
    }),
    async (c) => {
      await deletePass(c.var.ctx, c.req.param('id'), deletePassFiles);
      return envelopeV3(c, { description: 'Pass deleted', count: 0 });
    },
  );
