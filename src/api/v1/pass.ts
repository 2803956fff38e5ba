import { Hono } from 'hono';
import * as z from 'zod';
import { chooseGoogleIssuer } from '../../domain/certificates/find-google-issuer.ts';
import { DateTimeText, OwnId } from '../../domain/fields.ts';
import { deletePass } from '../../domain/passes/deletion/delete-pass.ts';
import { deliverPass } from '../../domain/passes/deliver-pass.ts';
import { enableDownload } from '../../domain/passes/page/enable-download.ts';
import { PUSHED_PASSES_MAX, PushesInput, PushInput, sendPush, sendPushes } from '../../domain/passes/push/send-push.ts';
import { voidPass } from '../../domain/passes/update-pass.ts';
import { isRecord } from '../../platform/json.ts';
import { deletePassFiles } from '../../wallets/apple/pass-file-cache.ts';
import { issuePass, reissuePass } from '../../wallets/issue-pass.ts';
import { walletLinks } from '../../wallets/links.ts';
import { sendMessages } from '../../wallets/messages/send-message.ts';
import type { ApiEnv } from '../api-env.ts';
import { PASS_EXAMPLE, PASS_FIELDS_EXAMPLE, PASS_ID_EXAMPLE } from '../examples.ts';
import { PASS_IS_BUSY, TEMPLATE_IS_BUSY } from '../failures.ts';
import { Flag, operationsWith, validate } from '../operation.ts';
import {
  CreateBodyV1,
  readCreateAhead,
  readPassAhead,
  readPassWithIssuersAhead,
  readUpdateAhead,
  skipOnRepeat,
  toShownPass,
  UpdateBodyV1,
} from '../pass-ahead.ts';
import { readAhead } from '../read-ahead.ts';
import { text, textOrNull } from '../view-fields.ts';
import { passListRoute } from './pass-list.ts';
import { CreatedPassView, createdPassView, PassReadView, passReadView } from './pass-view.ts';

const operation = operationsWith({ tag: 'Passes' });

/** Push routes of passes. Mounted before the pass routes that take any name. */
const passPushRoutes = new Hono<ApiEnv>()
  .post(
    '/sendpushnotifications',
    operation({
      id: 'sendPushNotifications',
      summary: 'Send a push notification to many passes',
      description:
        `Up to ${PUSHED_PASSES_MAX} passes, each by identifier, userProvidedId, barcode value or generatedId. ` +
        'Sent in the background. Unknown names and inactive passes are skipped. Placeholders are filled for each ' +
        'pass.',
      scope: 'messages:send',
      example: {
        listOfPasses: ['member-1', 'member-2'],
        pushNotificationText: 'Hello {Full name}, the gates are open',
      },
      replies: { 202: { description: 'Accepted' } },
    }),
    validate('json', PushesInput),
    async (c) => {
      await sendPushes(c.var.ctx, c.req.valid('json'));
      return c.body(null, 202);
    },
  )
  .post(
    '/:id/sendpushnotification',
    operation({
      id: 'sendPushNotification',
      summary: 'Send a push notification to a pass',
      description:
        'The text can contain placeholders. Devices show at least one line of 85 characters. The pass must be on at least one device.',
      scope: 'messages:send',
      example: { pushNotificationText: 'Your gate is {originAirportGate}' },
      replies: {
        204: { description: 'Sent' },
        304: { description: 'The last text sent to this pass was the same; nothing is sent' },
      },
      conflict: PASS_IS_BUSY,
    }),
    validate('json', PushInput),
    async (c) => {
      const outcome = await sendPush(c.var.ctx, c.req.param('id'), c.req.valid('json'));
      return c.body(null, outcome === 'same' ? 304 : 204);
    },
  );

const DeliveredView = z.object({ messageId: text(PASS_ID_EXAMPLE) });

/** Sends a pass by e-mail; mounted at `/pass/deliver`. */
const passDeliverRoute = new Hono<ApiEnv>().post(
  '/:id/email/:recipientMail',
  operation({
    id: 'deliverPass',
    summary: 'Send a pass by e-mail',
    description:
      'Uses the ad hoc e-mail template of the pass template. `messageId` names the message in the events ' +
      '`message_sent` and `message_failed`.',
    scope: 'messages:send',
    replies: { 200: { description: 'Sent to the mail service', schema: DeliveredView } },
  }),
  async (c) => {
    const { ctx } = c.var;
    const message = await deliverPass(ctx, c.req.param('id'), c.req.param('recipientMail'));
    await sendMessages(ctx, [message]);
    return c.json({ messageId: message.id });
  },
);

const CreateQuery = z.object({
  passtemplate: z
    .string({ error: 'is required' })
    .min(1, 'is required')
    .describe('Identifier of the template, or its userProvidedId'),
  integrationStyle: Flag.optional(),
});
const ReadQuery = z.object({ includeFieldMapping: Flag.default(false), appConfigurationId: OwnId.optional() });
const VoidInput = z.object({ voided: z.boolean({ error: 'is required and must be true or false' }) });
const EnableDownloadInput = z.object({ enableDownloadUntil: DateTimeText.nullish() });
const WALLET_LINKS = z.object({
  passFileUri: text(PASS_EXAMPLE.file),
  walletSaveUri: textOrNull(PASS_EXAMPLE.save),
});

export const passRoutes = new Hono<ApiEnv>()
  .post(
    '/',
    operation({
      id: 'createPass',
      summary: 'Create a pass',
      description: 'Send writable fields at top level, together with additional properties by ID or name.',
      scope: 'passes:write',
      example: PASS_FIELDS_EXAMPLE,
      replies: { 201: { description: 'Created', schema: CreatedPassView } },
      failures: [404],
      conflict: TEMPLATE_IS_BUSY,
    }),
    readAhead('query', CreateQuery, (key, { passtemplate }) => readCreateAhead(key, passtemplate)),
    validate('json', CreateBodyV1),
    async (c) => {
      const { ctx, ahead } = c.var;
      const read = skipOnRepeat(ctx, ahead);
      const { passtemplate } = c.req.valid('query');
      const { pass, template } = await issuePass(ctx, passtemplate, c.req.valid('json'), { wait: true, read });
      return c.json(createdPassView(ctx, pass, template.definition), 201);
    },
  )
  .route('/list', passListRoute)
  .route('/deliver', passDeliverRoute)
  .route('/', passPushRoutes)
  .get(
    '/geturis/:id',
    operation({
      id: 'readPassLinks',
      summary: 'Get the wallet links of a pass',
      scope: 'passes:read',
      replies: { 200: { description: 'Direct links for both wallets', schema: WALLET_LINKS } },
    }),
    readAhead('query', z.object({}), (key, _, { id }) => readPassWithIssuersAhead(key, id)),
    async (c) => {
      const { ctx, ahead } = c.var;
      const { pass, version } = toShownPass(ahead[0]);
      return c.json(await walletLinks(ctx, pass, version, chooseGoogleIssuer(ahead[1])));
    },
  )
  .get(
    '/:id',
    operation({
      id: 'readPass',
      summary: 'Get a pass',
      description:
        'The path names the pass by identifier, userProvidedId, barcode value or generatedId, in this order. ' +
        'With `appConfigurationId`, a pass that is not valid at the configuration’s place, or was used there, ' +
        'shows as voided and redeemed.',
      scope: 'passes:read',
      replies: { 200: { description: 'The pass; air boarding passes add their flight fields', schema: PassReadView } },
    }),
    readAhead('query', ReadQuery, (key, query, { id }) => readPassAhead(key, id, query.appConfigurationId)),
    (c) => {
      const { ctx, ahead } = c.var;
      const { includeFieldMapping, appConfigurationId } = c.req.valid('query');
      const { shown, definition } = toShownPass(ahead, appConfigurationId);
      return c.json(passReadView(ctx, shown, definition, includeFieldMapping));
    },
  )
  .post(
    '/:id',
    operation({
      id: 'updatePass',
      summary: 'Update a pass',
      description: 'Changes only the fields that you send; null clears a field. `voided` voids or restores the pass.',
      scope: 'passes:write',
      example: { expirationDate: '2027-02-28 23:59', voided: false },
      replies: { 200: { description: 'Updated', schema: CreatedPassView } },
      conflict: PASS_IS_BUSY,
    }),
    validate('query', z.object({ integrationStyle: Flag.default(false) })),
    readAhead('json', UpdateBodyV1, (key, { bundleId }, { id }) => readUpdateAhead(key, id, bundleId)),
    async (c) => {
      const { ctx, ahead } = c.var;
      const read = skipOnRepeat(ctx, ahead);
      // `placesUsedAt` is a v3 field. It is ignored here, so that sending a read back doesn't clear usages.
      const { additionalProperties, placesUsedAt: _, ...sent } = c.req.valid('json');
      const { integrationStyle } = c.req.valid('query');
      const properties = !integrationStyle && isRecord(additionalProperties) ? additionalProperties : {};
      const changed = await reissuePass(ctx, c.req.param('id'), sent, { mode: 'patch', wait: true, properties, read });
      return c.json(createdPassView(ctx, changed.pass, changed.definition));
    },
  )
  .post(
    '/:id/enabledownload',
    operation({
      id: 'enableDownload',
      summary: 'Open the download of a pass',
      description: 'For templates that block the download while a pass is active. Default: ten minutes from now.',
      scope: 'passes:write',
      example: { enableDownloadUntil: '2027-01-31 20:00' },
      replies: { 204: { description: 'The download is open' } },
    }),
    validate('json', EnableDownloadInput),
    async (c) => {
      await enableDownload(c.var.ctx, c.req.param('id'), c.req.valid('json').enableDownloadUntil ?? undefined);
      return c.body(null, 204);
    },
  )
  .put(
    '/:id',
    operation({
      id: 'voidPass',
      summary: 'Void or restore a pass',
      scope: 'passes:write',
      example: { voided: true },
      replies: { 204: { description: 'Voided or restored' } },
      conflict: PASS_IS_BUSY,
    }),
    validate('json', VoidInput),
    async (c) => {
      await voidPass(c.var.ctx, c.req.param('id'), c.req.valid('json').voided);
      return c.body(null, 204);
    },
  )
  .delete(
    '/:id',
    operation({
      id: 'deletePass',
      summary: 'Delete a pass',
      scope: 'passes:write',
      replies: { 200: { description: 'Deleted; no body' } },
    }),
    async (c) => {
      await deletePass(c.var.ctx, c.req.param('id'), deletePassFiles);
      return c.body(null, 200);
    },
  );
