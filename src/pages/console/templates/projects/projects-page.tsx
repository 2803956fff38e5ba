import type { Project } from '../../../../domain/projects/projects.ts';
import { AccountLayout } from '../../console-layout.tsx';
import { TextField } from '../../fields.tsx';
import { Table } from '../../list-table.tsx';
import { EmptyState, EntryForm, LinkButton, Pager, Panel, Problems, SubmitButton } from '../../parts.tsx';
import { hrefTo, viewerHas } from '../../viewer.ts';
import { SECTION } from '../template-layout.tsx';

interface ProjectsPageProps {
  projects: Project[];
  /** Identifier of the last row, for the next page. */
  next?: string;
  isFirst?: boolean;
  typed?: string;
}

/** The account's projects, newest first. Passes can move between templates of a project. */
export function ProjectsPage({ projects, next, isFirst = true, typed }: ProjectsPageProps) {
  const base = hrefTo(SECTION, 'projects');
  const mayEdit = viewerHas('templates.edit');
  return (
    <AccountLayout title="Projects" section={SECTION}>
      <p class="lead">
        Passes can move between the templates of one project, for example from a silver to a gold card. Set the project
        on the page of a template.
      </p>
      <Problems />
      {projects.length === 0 ? (
        <EmptyState title="No projects yet">Create a project, then select it in its templates.</EmptyState>
      ) : (
        <Panel id="projects" title="Projects of this account">
          <Table
            rows={projects}
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

interface RenameProjectPageProps {
  project: Project;
  typed?: string;
}

/** The form that renames a project. */
export function RenameProjectPage({ project, typed }: RenameProjectPageProps) {
  const base = hrefTo(SECTION, 'projects');
  return (
    <AccountLayout title={`Rename ${project.name}`} section={SECTION}>
      <EntryForm action={`${base}/${project.identifier}`} button="Rename project" back={base}>
        <TextField name="name" label="Name" value={typed ?? project.name} required more={{ maxlength: 500 }} />
      </EntryForm>
    </AccountLayout>
  );
}
