import { Hono } from 'hono';
import * as z from 'zod';
import { DateTimeText } from '../../domain/fields.ts';
import { NAME_CHARS_MAX } from '../../domain/limits.ts';
import { patchTemplate, replaceTemplate } from '../../domain/template-changes/change-template.ts';
import { createTemplate } from '../../domain/templates/create-template.ts';
import { TemplateDefinition } from '../../domain/templates/definition.ts';
import { publishTemplate } from '../../domain/templates/publish-template.ts';
import { describeTemplate } from '../../domain/templates/stored-definition.ts';
import { TemplatePatch } from '../../domain/templates/template-patch.ts';
import type { ApiEnv } from '../api-env.ts';
import { FILE_TYPES } from '../body.ts';
import { envelopeSchema, envelopeV2, NoData } from '../envelope.ts';
import { TEMPLATE_EXAMPLE, TEMPLATE_ID_EXAMPLE } from '../examples.ts';
import { TEMPLATE_IS_BUSY } from '../failures.ts';
import { operationsWith, validate } from '../operation.ts';
import { like, text, Warnings, warningsOf } from '../view-fields.ts';

const operation = operationsWith({ tag: 'Templates' });

const PublishInput = z.object({
  publicationDate: DateTimeText.nullish().describe('Y-m-d H:i in the account’s time zone; absent: now'),
});

/** Lint takes any object. */
const LintInput = z.looseObject({}).describe('A definition, as for `createTemplate`');

const FindingView = z.object({
  path: text('apple.featuredActions').describe('The member, as in error messages; empty for the whole definition'),
  wallet: z.enum(['apple', 'google', 'both']),
  severity: z.enum(['error', 'warning', 'hint']),
  message: text('is not shown: a pass has at most 10'),
  source: text('https://developer.apple.com/documentation/walletpasses/pass').describe('URL or name of a document'),
});

const CreatedView = z.object({ identifier: z.uuid(), warnings: Warnings });

const ImportQuery = z.object({
  name: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(NAME_CHARS_MAX)
    .optional()
    .describe('Default: the name of the folder, or else the description'),
  projectId: z.string().optional(),
});

const ImportedView = z.object({
  identifier: z.uuid(),
  warnings: z
    .array(text('barcodes: the message belongs to the example pass; each pass gets a code of its own'))
    .describe('Parts that were left out, and why; empty if there are none'),
});

const EDIT_TEXT =
  'New passes use the change at once, existing passes after the publication. A property that becomes `unique` ' +
  'needs different values in all passes. If there are more than 5,000 passes, a process checks them while the ' +
  'request waits. If that takes longer than four minutes, a 409 names the process; repeat the request when it has ' +
  'ended. A template with passes keeps its `type`, except that the two types of event tickets are interchangeable.';

const PATCH_EXAMPLE = {
  description: 'Ticket for the night train, with breakfast',
  colors: { backgroundColor: '#1d3557' },
  fields: { secondaryFields: [{ index: 0, label: 'Traveller' }] },
  logoText: null,
};

export const passTemplateRoutes = new Hono<ApiEnv>()
  .post(
    '/',
    operation({
      id: 'createTemplate',
      summary: 'Create a template',
      description:
        'Takes a complete definition. Images are URLs or base64; they are fetched, checked and stored before ' +
        'the reply. `warnings` names a logo or icon of the account that cannot be fetched. An account can have at most ' +
        '10,000 templates. A definition can have at most 250,000 characters, without its e-mails.',
      scope: 'templates:write',
      isAccountWide: true,
      example: TEMPLATE_EXAMPLE,
      replies: { 201: { description: 'Created', schema: envelopeSchema(CreatedView) } },
    }),
    validate('json', TemplateDefinition),
    async (c) => {
      const { identifier, omitted } = await createTemplate(c.var.ctx, c.req.valid('json'));
      const without =
        omitted.length > 0 ? ` without the account’s ${omitted.map(({ role }) => role).join(' and ')}` : '';
      const data = { identifier, ...warningsOf(omitted) };
      return envelopeV2(c, { description: `Template created${without}`, data, statusCode: 201 });
    },
  )
  .get(
    '/:id/describe',
    operation({
      id: 'describeTemplate',
      summary: 'Get a definition',
      description:
        'The reply’s `data` can be sent back to create another template, or to replace this one. Images are URLs of this service.',
      scope: 'templates:read',
      replies: {
        200: {
          description: 'The definition',
          schema: envelopeSchema(z.looseObject({ identifier: like(z.uuid(), TEMPLATE_ID_EXAMPLE) })),
        },
      },
    }),
    async (c) => {
      const data = await describeTemplate(c.var.ctx, c.req.param('id'));
      return envelopeV2(c, { description: 'Template', data });
    },
  )
  .post(
    '/lint',
    operation({
      id: 'lintTemplate',
      summary: 'Check a definition',
      description:
        'Returns the errors of a definition, and the parts that wallets truncate, omit or show differently. Stores ' +
        'nothing. Returns 200 even if the definition cannot be saved. An `error` prevents saving, or a wallet refuses ' +
        'the pass. A `warning` is about a part that a wallet leaves out or hides, and a `hint` is a recommendation. ' +
        '`source` is the document that the finding is based on. Sizes of images are checked if they are sent as base64 or are stored ' +
        'by this service. Images at other addresses are not downloaded.',
      scope: 'templates:read',
      example: TEMPLATE_EXAMPLE,
      replies: { 200: { description: 'The findings', schema: envelopeSchema(z.array(FindingView)) } },
    }),
    validate('json', LintInput),
    async (c) => {
      // Loaded on demand, because no other operation needs the wallet rules.
      const [{ lintDefinition }, { imageSizes }] = await Promise.all([
        import('../../domain/templates/wallet-rules/lint-definition.ts'),
        import('../../domain/templates/wallet-rules/image-sizes.ts'),
      ]);
      const definition = c.req.valid('json');
      const data = lintDefinition(definition, await imageSizes(c.var.ctx, definition));
      const description = data.length === 1 ? '1 finding' : `${data.length} findings`;
      return envelopeV2(c, { description, data });
    },
  )
  .post(
    '/import',
    operation({
      id: 'importTemplate',
      summary: 'Import a template',
      description:
        'Takes the ZIP of a `.pkpasstemplate` folder, or the design and texts of a `.pkpass` from any issuer. Leaves ' +
        'out identifiers, tokens, NFC and data about the holder of an example pass. An export from this service ' +
        'restores the complete definition. The archive can have at most 10 MiB.',
      scope: 'templates:write',
      isAccountWide: true,
      file: { types: FILE_TYPES, description: 'The file itself, not a form' },
      replies: { 201: { description: 'Created', schema: envelopeSchema(ImportedView) } },
    }),
    validate('query', ImportQuery),
    async (c) => {
      // Loaded on demand, because few requests need these formats.
      const { importTemplate } = await import('../../wallets/apple/template-package/import-template.ts');
      const data = await importTemplate(c.var.ctx, c.var.rawBytes ?? new Uint8Array(), c.req.valid('query'));
      return envelopeV2(c, { description: 'Template imported', data, statusCode: 201 });
    },
  )
  .get(
    '/:id/export',
    operation({
      id: 'exportTemplate',
      summary: 'Export a template',
      description:
        'Returns the newest definition as the ZIP of a `.pkpasstemplate` folder: pass.json with its placeholders, ' +
        'images, translations, and a file with the complete definition, which `importTemplate` accepts in any account. ' +
        'Excludes the project, pass type, external ID and tiers of the template. The audit log records each export.',
      scope: 'templates:write',
      replies: { 200: { description: 'The archive', schema: z.string(), type: 'application/zip' } },
    }),
    async (c) => {
      const { archiveReply, exportTemplate } = await import('../../wallets/apple/template-package/pack-template.ts');
      return archiveReply(await exportTemplate(c.var.ctx, c.req.param('id')));
    },
  )
  .post(
    '/:id',
    operation({
      id: 'replaceTemplate',
      summary: 'Replace a definition',
      description:
        'Takes a complete definition. Fields that you leave out take their defaults. A property without `id` ' +
        `keeps the identifier of the one with its name. ${EDIT_TEXT}`,
      scope: 'templates:write',
      example: TEMPLATE_EXAMPLE,
      replies: { 200: { description: 'Replaced', schema: envelopeSchema(NoData) } },
      conflict: TEMPLATE_IS_BUSY,
    }),
    validate('json', TemplateDefinition),
    async (c) => {
      await replaceTemplate(c.var.ctx, c.req.param('id'), c.req.valid('json'));
      return envelopeV2(c, { description: 'Template replaced' });
    },
  )
  .patch(
    '/:id',
    operation({
      id: 'patchTemplate',
      summary: 'Change parts of a definition',
      description:
        'Changes only the members that you send; null clears a member. Address items of `fields` by their ' +
        '`index` in the list, and `additionalProperties` by `id`. New items are added. Other lists are ' +
        `replaced as a whole. The result must be a valid definition. ${EDIT_TEXT}`,
      scope: 'templates:write',
      example: PATCH_EXAMPLE,
      replies: { 200: { description: 'Changed', schema: envelopeSchema(NoData) } },
      conflict: TEMPLATE_IS_BUSY,
    }),
    validate('json', TemplatePatch),
    async (c) => {
      await patchTemplate(c.var.ctx, c.req.param('id'), c.req.valid('json'));
      return envelopeV2(c, { description: 'Template changed' });
    },
  )
  .post(
    '/:id/publish',
    operation({
      id: 'publishTemplate',
      summary: 'Publish the newest definition',
      description:
        'Updates existing passes, at once or at a date. A date schedules the current definition; publishing ' +
        'again moves the schedule. The template’s notifications list it as an entry without a text.',
      scope: 'templates:write',
      example: { publicationDate: '2027-03-01 06:00' },
      replies: {
        200: { description: 'There was nothing to publish', schema: envelopeSchema(NoData) },
        201: { description: 'Published or scheduled', schema: envelopeSchema(NoData) },
      },
    }),
    validate('json', PublishInput),
    async (c) => {
      const date = c.req.valid('json').publicationDate ?? undefined;
      const published = await publishTemplate(c.var.ctx, c.req.param('id'), date);
      if (!published) return envelopeV2(c, { description: 'There is nothing to publish' });
      return envelopeV2(c, { description: date ? 'Publication scheduled' : 'Published', statusCode: 201 });
    },
  );
