import { Hono } from 'hono';
import * as z from 'zod';
import { checked } from '../../../../domain/check.ts';
import { Title } from '../../../../domain/fields.ts';
import { createProject, getProject, listProjectPage, renameProject } from '../../../../domain/projects/projects.ts';
import type { AccountEnv, AccountPageContext } from '../../console-env.ts';
import { page, submitted, textOf, uuidIn } from '../../reply.tsx';
import { requirePrivilege } from '../../require-user.ts';
import { sectionPath } from '../../sections.ts';
import { SECTION } from '../template-layout.tsx';
import { ProjectsPage, RenameProjectPage } from './projects-page.tsx';

const ProjectName = z.object({ name: Title });

const PAGE_ROWS = 50;

/** Routes for projects. Mounted before the templates' routes, whose paths would match as well. */
export const projectRoutes = new Hono<AccountEnv>();

projectRoutes.get('/projects', async (c) => {
  const before = uuidIn(c, 'before');
  return page(c, <ProjectsPage {...(await projectsPage(c, before))} isFirst={before === undefined} />);
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
    async () => <ProjectsPage {...(await projectsPage(c))} typed={typed} />,
  );
});

projectRoutes.get('/projects/:project', mayEdit, async (c) =>
  page(c, <RenameProjectPage project={await getProject(c.var.acting, c.req.param('project'))} />),
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
    () => <RenameProjectPage project={project} typed={typed} />,
  );
});
