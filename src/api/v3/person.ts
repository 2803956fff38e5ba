import { Hono } from 'hono';
import * as z from 'zod';
import { invalidField } from '../../domain/errors.ts';
import { AnyText, PassText } from '../../domain/fields.ts';
import { EXPORT_HOURS } from '../../domain/persons/export-files.ts';
import { startPersonProcess } from '../../domain/persons/start-person-process.ts';
import type { PersonMatch } from '../../domain/search/persons.ts';
import type { ApiEnv } from '../api-env.ts';
import { envelopeV3, envelopeV3Schema } from '../envelope.ts';
import { PASS_FIELDS_EXAMPLE } from '../examples.ts';
import { operationsWith, validate } from '../operation.ts';
import { ProcessLink, processLink } from './process.ts';

const operation = operationsWith({ tag: 'Persons', scope: 'persons:manage', isAccountWide: true });

const Recipient = PassText.pipe(z.string().trim().min(1, 'must not be empty'));
/** Spaces around it count, because passes keep them, too. */
const Value = PassText.refine((text) => text.trim() !== '', 'must not be empty');
const MEMBERS = 'userProvidedId, emailRecipient, phoneRecipient, property';

const Match = z
  .object({
    userProvidedId: Value.optional(),
    emailRecipient: Recipient.optional().describe('Case-insensitive'),
    phoneRecipient: Recipient.optional(),
    property: z
      .object({ id: AnyText.pipe(z.string().min(1, 'must not be empty')), value: Value })
      .optional()
      .describe('An additional property, by its identifier'),
  })
  .describe('Exactly one of the four');

const ExportInput = z.object({
  match: Match,
  dryRun: z.boolean({ error: 'must be true or false' }).default(false).describe('Counts the data without changing it'),
});
const EraseInput = ExportInput.extend({
  mode: z
    .enum(['delete', 'anonymize'], 'must be delete or anonymize')
    .default('delete')
    .describe('`anonymize` keeps the passes and removes the personal data from them'),
});

/** Counts the data of a person. */
const COUNT = { kind: 'erase', dryRun: true, mode: 'delete' } as const;

const match = { userProvidedId: PASS_FIELDS_EXAMPLE.userProvidedId };

/** Returns the match as sent. Throws `invalid` unless it has exactly one member. */
function matchOf(sent: z.output<typeof Match>): PersonMatch {
  const members = Object.entries(sent).filter(([, value]) => value !== undefined);
  if (members.length !== 1) throw invalidField('match', `must have exactly one of ${MEMBERS}`);
  return sent;
}

export const personRoutes = new Hono<ApiEnv>()
  .post(
    '/export',
    operation({
      id: 'exportPerson',
      summary: 'Export the data of a person',
      description:
        'A background process collects the passes of the person with their scans, messages, events and images. When it ' +
        `finishes, its \`result.url\` is a link to a ZIP archive, valid for ${EXPORT_HOURS} hours.`,
      example: { match },
      replies: { 202: { description: 'Accepted', schema: envelopeV3Schema(ProcessLink) } },
    }),
    validate('json', ExportInput),
    async (c) => {
      const { ctx } = c.var;
      const { match: sent, dryRun } = c.req.valid('json');
      const { id } = await startPersonProcess(ctx, {
        ...(dryRun ? COUNT : { kind: 'export' as const }),
        match: matchOf(sent),
      });
      const data = processLink(ctx, id);
      const description = dryRun ? 'The data is being counted' : 'The data is being collected';
      return envelopeV3(c, { description, data, statusCode: 202, count: 1 });
    },
  )
  .post(
    '/erase',
    operation({
      id: 'erasePerson',
      summary: 'Erase the data of a person',
      description:
        'A background process deletes the passes of the person, or anonymizes them, and erases all other data that ' +
        'the service has about them. Its `result` has the counts. You can’t undo this.',
      example: { match, dryRun: true },
      replies: { 202: { description: 'Accepted', schema: envelopeV3Schema(ProcessLink) } },
    }),
    validate('json', EraseInput),
    async (c) => {
      const { ctx } = c.var;
      const { match: sent, dryRun, mode } = c.req.valid('json');
      const { id } = await startPersonProcess(ctx, { kind: 'erase', match: matchOf(sent), dryRun, mode });
      const data = processLink(ctx, id);
      const description = dryRun ? 'The data is being counted' : 'The data is being erased';
      return envelopeV3(c, { description, data, statusCode: 202, count: 1 });
    },
  );
