import { Hono } from 'hono';
import { type Issue, invalidField } from '../../../domain/errors.ts';
import { countPerson } from '../../../domain/persons/count-person.ts';
import { startPersonProcess } from '../../../domain/persons/start-person-process.ts';
import type { PersonOperation } from '../../../domain/processes/process-state.ts';
import type { PersonMatch } from '../../../domain/search/persons.ts';
import { listProperties } from '../../../domain/templates/list-properties.ts';
import type { AccountEnv, AccountPageContext } from '../console-env.ts';
import { page, pathTo, submitted, textOf } from '../reply.tsx';
import { requirePrivilege } from '../require-user.ts';
import { BY_PROPERTY, EraseConfirmPage, KEYS, PersonsPage, type TypedPerson } from './person-pages.tsx';

/** Routes for the data of one person, for members with `personal_data`. */
export const personRoutes = new Hono<AccountEnv>();
personRoutes.use('*', requirePrivilege('personal_data'));

const NOBODY: TypedPerson = { by: 'emailRecipient', value: '' };

personRoutes.get('/', async (c) => page(c, await personsPage(c, NOBODY)));

/** POST, because personal values must not be in an address. */
personRoutes.post('/find', async (c) => {
  const typed = await typedOf(c);
  return answered(c, typed, async () => {
    const counts = await countPerson(c.var.acting, matchOf(typed));
    return page(c, await personsPage(c, typed, counts));
  });
});

personRoutes.post('/export', (c) => start(c, (match) => ({ kind: 'export', match })));

/** POST for the same reason. It previews the erasure. */
personRoutes.post('/erase/confirm', requirePrivilege('passes.edit'), async (c) => {
  const typed = await typedOf(c);
  const mode = await modeOf(c);
  return answered(c, typed, async () => {
    const { acting } = c.var;
    const [counts, properties] = [await countPerson(acting, matchOf(typed)), await listProperties(acting)];
    const { by } = typed;
    const property = properties.find(({ id }) => `${BY_PROPERTY}${id}` === by);
    const title = property ? property.name : KEYS[by as keyof typeof KEYS];
    return page(c, <EraseConfirmPage typed={typed} by={title} mode={mode} counts={counts} />);
  });
});

personRoutes.post('/erase', requirePrivilege('passes.edit'), async (c) => {
  const mode = await modeOf(c);
  return start(c, (match) => ({ kind: 'erase', match, mode, dryRun: false }));
});

const modeOf = async (c: AccountPageContext) =>
  textOf(await c.req.parseBody(), 'mode') === 'anonymize' ? 'anonymize' : 'delete';

async function personsPage(c: AccountPageContext, typed: TypedPerson, counts?: Record<string, number>) {
  return <PersonsPage typed={typed} properties={await listProperties(c.var.acting)} counts={counts} />;
}

async function start(c: AccountPageContext, operationOf: (match: PersonMatch) => PersonOperation): Promise<Response> {
  const typed = await typedOf(c);
  return answered(c, typed, async () => {
    const { id } = await startPersonProcess(c.var.acting, operationOf(matchOf(typed)));
    return pathTo(c, 'processes', id);
  });
}

/** Runs the form's action, or shows the submitted values again. */
function answered(c: AccountPageContext, typed: TypedPerson, work: () => Promise<Response | string>) {
  return submitted(c, () => personsPage(c, typed), work, reworded);
}

async function typedOf(c: AccountPageContext): Promise<TypedPerson> {
  const form = await c.req.parseBody();
  return { by: textOf(form, 'by'), value: textOf(form, 'value').trim() };
}

function matchOf({ by, value }: TypedPerson): PersonMatch {
  const isProperty = by.startsWith(BY_PROPERTY);
  if (!isProperty && !Object.hasOwn(KEYS, by)) throw invalidField('by', 'must be one of the choices');
  if (value === '') throw invalidField('value', 'must not be empty');
  return isProperty ? { property: { id: by.slice(BY_PROPERTY.length), value } } : { [by]: value };
}

/** Moves issues of the match to the fields of the form. */
function reworded(issues: Issue[]): Issue[] {
  return issues.map((issue) => ({
    ...issue,
    path: issue.path === 'match.property.id' ? 'by' : issue.path.replace(/^match\b.*$/, 'value'),
  }));
}
