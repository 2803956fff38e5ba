import { Hono } from 'hono';
import * as z from 'zod';
import { checked } from '../../../../domain/check.ts';
import { Title } from '../../../../domain/fields.ts';
import {
  createProject,
  getProject,
  listProjectPage,
  type Project,
  renameProject,
} from '../../../../domain/projects/projects.ts';
import type { AccountEnv, AccountPageContext } from '../../console-env.ts';
import { AccountLayout } from '../../console-layout.tsx';
import { TextField } from '../../fields.tsx';
import { type Listed, Table } from '../../list-table.tsx';
import { EmptyState, EntryForm, LinkButton, Pager, Panel, Problems, SubmitButton } from '../../parts.tsx';
import { listed, PAGE_ROWS, page, pathTo, submitted, textOf, uuidIn } from '../../reply.tsx';
import { requirePrivilege } from '../../require-user.ts';
import { hrefTo, viewerHas } from '../../viewer.ts';
import { SECTION } from '../template-layout.tsx';

const ProjectName = z.object({ name: Title });

/** Routes for projects. Mounted before the templates' routes, whose paths would match as well. */
export const projectRoutes = new Hono<AccountEnv>();

projectRoutes.get('/projects', async (c) => page(c, await projectsPage(c)));

async function projectsPage(c: AccountPageContext, typed?: string) {
  // A rejected form shows the first page.
  const before = typed === undefined ? uuidIn(c, 'before') : undefined;
  const found = await listProjectPage(c.var.acting, { before, limit: PAGE_ROWS + 1 });
  return <ProjectsPage list={listed(found, before, ({ identifier }) => identifier)} typed={typed} />;
}

const mayEdit = requirePrivilege('templates.edit');

projectRoutes.post('/projects', mayEdit, async (c) => {
  const typed = textOf(await c.req.parseBody(), 'name');
  const again = () => projectsPage(c, typed);
  return submitted(c, again, async () => {
    const { name } = checked(ProjectName, { name: typed });
    await createProject(c.var.acting, name);
    return pathTo(c, SECTION, 'projects');
  });
});

projectRoutes.get('/projects/:project', mayEdit, async (c) =>
  page(c, <RenameProjectPage project={await getProject(c.var.acting, c.req.param('project'))} />),
);

projectRoutes.post('/projects/:project', mayEdit, async (c) => {
  const project = await getProject(c.var.acting, c.req.param('project'));
  const typed = textOf(await c.req.parseBody(), 'name');
  return submitted(c, <RenameProjectPage project={project} typed={typed} />, async () => {
    const { name } = checked(ProjectName, { name: typed });
    await renameProject(c.var.acting, project.identifier, name);
    return pathTo(c, SECTION, 'projects');
  });
});

/** The account's projects, newest first. Passes can move between templates of a project. */
function ProjectsPage({ list, typed }: { list: Listed<Project>; typed?: string }) {
  const { rows, next, isFirst } = list;
  const base = hrefTo(SECTION, 'projects');
  const mayEdit = viewerHas('templates.edit');
  return (
    <AccountLayout title="Projects" section={SECTION}>
      <p class="lead">
        Passes can move between the templates of one project, for example from a silver to a gold card. Set the project
        on the page of a template.
      </p>
      <Problems />
      {rows.length === 0 ? (
        <EmptyState title="No projects yet">Create a project, then select it in its templates.</EmptyState>
      ) : (
        <Panel id="projects" title="Projects of this account">
          <Table
            rows={rows}
            columns={[
              ['Name', ({ name }) => name],
              ['Identifier', ({ identifier }) => <code>{identifier}</code>],
            ]}
            actions={
              mayEdit &&
              (({ identifier, name }) => (
                <LinkButton href={`${base}/${identifier}`} title="Rename" look="small quiet" label={`Rename ${name}`} />
              ))
            }
          />
        </Panel>
      )}
      <Pager older={next && `${base}?before=${next}`} newer={isFirst ? undefined : base} />
      {mayEdit && (
        <form class="panel stack" method="post" action={base}>
          <TextField name="name" label="Project name" value={typed} required more={{ maxlength: 500 }} />
          <SubmitButton title="Create project" />
        </form>
      )}
    </AccountLayout>
  );
}

function RenameProjectPage({ project, typed }: { project: Project; typed?: string }) {
  const base = hrefTo(SECTION, 'projects');
  return (
    <AccountLayout title={`Rename ${project.name}`} section={SECTION}>
      <EntryForm action={`${base}/${project.identifier}`} button="Rename project" back={base}>
        <TextField name="name" label="Name" value={typed ?? project.name} required more={{ maxlength: 500 }} />
      </EntryForm>
    </AccountLayout>
  );
}
