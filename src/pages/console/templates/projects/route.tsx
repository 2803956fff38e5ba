import { Hono } from 'hono';
import { z } from 'zod';
import { checked } from '../../../../domain/check.ts';
import { Title } from '../../../../domain/fields.ts';
import { createProject, getProject, listProjectPage, renameProject } from '../../../../domain/projects/projects.ts';
import { UUID_PATTERN } from '../../../../platform/ids.ts';
import type { AccountEnv, AccountPageContext } from '../../console-env.ts';
import { frameOf, page, submitted, textOf } from '../../reply.tsx';
import { requirePrivilege } from '../../require-user.ts';
import { sectionPath } from '../../sections.ts';
import { SECTION } from '../template-layout.tsx';
import { ProjectsPage, RenameProjectPage } from './projects-page.tsx';

const ProjectName = z.object({ name: Title });

const PAGE_ROWS = 50;

/** The projects that templates belong to; mounted before the templates, which are addressed at the same place. */
export const projectRoutes = new Hono<AccountEnv>();

projectRoutes.get('/projects', async (c) => {
  const sent = c.req.query('before') ?? '';
  const before = UUID_PATTERN.test(sent) ? sent : undefined;
  return page(
    c,
    <ProjectsPage frame={frameOf(c)} {...(await projectsPage(c, before))} isFirst={before === undefined} />,
  );
});

async function projectsPage({ var: { acting } }: AccountPageContext, before?: string) {
  const found = await listProjectPage(acting, { before, limit: PAGE_ROWS + 1 });
  const projects = found.slice(0, PAGE_ROWS);
  return { projects, next: found.length > PAGE_ROWS ? projects.at(-1)!.identifier : undefined };
}

const mayEdit = requirePrivilege('templates.edit');

projectRoutes.post('/projects', mayEdit, async (c) => {
  const { acting } = c.var;
  const typed = textOf(await c.req.parseBody(), 'name');
  return submitted(
    c,
    async () => {
      const { name } = checked(ProjectName, { name: typed });
      await createProject(acting, name);
      return c.redirect(sectionPath(acting.account.id, SECTION, 'projects'), 303);
    },
    async (messages) => (
      <ProjectsPage frame={frameOf(c)} {...(await projectsPage(c))} typed={typed} messages={messages} />
    ),
  );
});

projectRoutes.get('/projects/:project', mayEdit, async (c) =>
  page(c, <RenameProjectPage frame={frameOf(c)} project={await getProject(c.var.acting, c.req.param('project'))} />),
);

projectRoutes.post('/projects/:project', mayEdit, async (c) => {
  const { acting } = c.var;
  const project = await getProject(acting, c.req.param('project'));
  const typed = textOf(await c.req.parseBody(), 'name');
  return submitted(
    c,
    async () => {
      const { name } = checked(ProjectName, { name: typed });
      await renameProject(acting, project.identifier, name);
      return c.redirect(sectionPath(acting.account.id, SECTION, 'projects'), 303);
    },
    (messages) => <RenameProjectPage frame={frameOf(c)} project={project} typed={typed} messages={messages} />,
  );
});
