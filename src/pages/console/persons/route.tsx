import { Hono } from 'hono';
import { type Issue, invalidField } from '../../../domain/errors.ts';
import { countPerson } from '../../../domain/persons/count-person.ts';
import { startPersonProcess } from '../../../domain/persons/start-person-process.ts';
import type { PersonOperation } from '../../../domain/processes/process-state.ts';
import type { PersonMatch } from '../../../domain/search/persons.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, submitted, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { sectionPath } from '../sections.ts';
import { KEYS, PersonsPage, type TypedPerson } from './person-pages.tsx';

/** Data of one person, as members with `personal_data` find, export and erase it. */
export const personRoutes = new Hono<AccountEnv>();
personRoutes.use('*', requirePrivilege('personal_data'));

const NOBODY: TypedPerson = { by: 'emailRecipient', value: '', propertyId: '' };

personRoutes.get('/', (c) => page(c, <PersonsPage typed={NOBODY} />));

/** A form: a value of a person must stand in no address. */
personRoutes.post('/find', async (c) => {
  const typed = await typedOf(c);
  return submitted(
    c,
    async () =>
      page(c, <PersonsPage typed={typed} counts={await countPerson(c.var.acting, matchOf(typed))} />) as never,
    () => <PersonsPage typed={typed} />,
    reworded,
  );
});

personRoutes.post('/export', (c) => start(c, (match) => ({ kind: 'export', match })));

personRoutes.post('/erase', requirePrivilege('passes.edit'), async (c) => {
  const mode = textOf(await c.req.parseBody(), 'mode') === 'anonymize' ? 'anonymize' : 'delete';
  return start(c, (match) => ({ kind: 'erase', match, mode, dryRun: false }));
});

async function start(c: AccountPageContext, operationOf: (match: PersonMatch) => PersonOperation): Promise<Response> {
  const typed = await typedOf(c);
  const { acting } = c.var;
  return submitted(
    c,
    async () => {
      const { id } = await startPersonProcess(acting, operationOf(matchOf(typed)));
      return sectionPath(acting.account.id, 'processes', id);
    },
    () => <PersonsPage typed={typed} />,
    reworded,
  );
}

async function typedOf(c: AccountPageContext): Promise<TypedPerson> {
  const form = await c.req.parseBody();
  return { by: textOf(form, 'by'), value: textOf(form, 'value').trim(), propertyId: textOf(form, 'propertyId').trim() };
}

function matchOf({ by, value, propertyId }: TypedPerson): PersonMatch {
  if (!Object.hasOwn(KEYS, by)) throw invalidField('by', 'must be one of the choices');
  if (value === '') throw invalidField('value', 'must not be empty');
  if (by !== 'property') return { [by]: value };
  if (propertyId === '') throw invalidField('propertyId', 'is required for an additional property');
  return { property: { id: propertyId, value } };
}

/** Issues of the match by the fields of the form. */
function reworded(issues: Issue[]): Issue[] {
  return issues.map((issue) => (issue.path === 'match.property.id' ? { ...issue, path: 'propertyId' } : issue));
}
