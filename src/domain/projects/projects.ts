import { and, asc, desc, eq, lt, type SQL, sql } from 'drizzle-orm';
import { rowValues } from '../../platform/raw-statement.ts';
import { columnChanges, recordAction } from '../audit/record-action.ts';
import type { AccountContext, Owner } from '../context.ts';
import { invalid, notFound } from '../errors.ts';
import { isPermitted, whereRestricted } from '../template-restriction.ts';
import { templates } from '../templates/table.ts';
import { newId, writeOnce } from '../write-once.ts';
import { projects } from './table.ts';

/** Returns SQL for the account's projects; for a restricted key, only those of its templates. */
export function isOwnProject({ account }: Pick<Owner, 'account'>): SQL | undefined {
  const isOfTemplate = sql`exists (select 1 from ${templates}
    where ${and(eq(templates.projectId, projects.id), eq(templates.accountId, account.id), isPermitted({ account }, templates.id))})`;
  return and(
    eq(projects.accountId, account.id),
    whereRestricted({ account }, () => isOfTemplate),
  );
}

/** Limit of an account: a list returns all projects, and so does the search form of the console. */
const PROJECTS_MAX = 10_000;

/** Creates a project and returns its identifier. Throws `invalid` if the account is full. */
export async function createProject(ctx: AccountContext, name: string): Promise<string> {
  const id = newId(ctx, 'project');
  const row = { id, accountId: ctx.account.id, name, createdAt: Date.now() };
  const hasRoom = sql`(select count(*) < ${PROJECTS_MAX} from ${projects} where ${eq(projects.accountId, row.accountId)})`;
  const create = async () => {
    const [made] = await ctx.db.batch([
      ctx.db
        .insert(projects)
        .select(sql`select ${rowValues(projects, row)} where ${hasRoom}`)
        .returning({ id: projects.id }),
      recordAction(ctx, { action: 'project.create', target: { type: 'project', id, name } }),
    ]);
    if (made.length === 0) throw invalid(`An account can have at most ${PROJECTS_MAX} projects`);
    return id;
  };
  return writeOnce(ctx, async () => ((await hasProject(ctx, id)) ? id : undefined), create);
}

/** Renames a project. Throws not found. */
export async function renameProject(ctx: AccountContext, id: string, name: string): Promise<void> {
  const isOwn = and(eq(projects.id, id), eq(projects.accountId, ctx.account.id));
  const target = { type: 'project', id, name };
  const changes = columnChanges(projects, { name });
  const [, renamed] = await ctx.db.batch([
    recordAction(ctx, { action: 'project.rename', target, changes, from: projects }, isOwn),
    ctx.db.update(projects).set({ name }).where(isOwn).returning({ id: projects.id }),
  ]);
  if (renamed.length === 0) throw notFound();
}

/** A project as its account sees it. */
export interface Project {
  identifier: string;
  name: string;
}

/** Returns a project of the account. Throws not found. */
export async function getProject(ctx: AccountContext, id: string): Promise<Project> {
  const [project] = await ctx.db
    .select({ identifier: projects.id, name: projects.name })
    .from(projects)
    .where(and(eq(projects.id, id), isOwnProject(ctx)));
  if (!project) throw notFound();
  return project;
}

/** Lists the account's projects, oldest first. */
export function listProjects(owner: Owner) {
  return owner.db
    .select({ identifier: projects.id, name: projects.name })
    .from(projects)
    .where(isOwnProject(owner))
    .orderBy(asc(projects.id));
}

/** Lists projects, newest first, after the project `before`. Reads only the returned rows. */
export function listProjectPage(ctx: AccountContext, page: { before?: string; limit: number }): Promise<Project[]> {
  const before = page.before === undefined ? undefined : lt(projects.id, page.before);
  return ctx.db
    .select({ identifier: projects.id, name: projects.name })
    .from(projects)
    .where(and(eq(projects.accountId, ctx.account.id), before))
    .orderBy(desc(projects.id))
    .limit(page.limit);
}

/** Whether the account has a project with this identifier. */
export async function hasProject(ctx: AccountContext, id: string): Promise<boolean> {
  const rows = await ctx.db
    .select({ id: projects.id })
    .from(projects)
    .where(and(eq(projects.id, id), isOwnProject(ctx)));
  return rows.length > 0;
}
