import type { Issue } from '../../../../domain/errors.ts';
import type { Project } from '../../../../domain/projects/projects.ts';
import { hasPrivilege } from '../../../../domain/users/privileges.ts';
import { AccountLayout, type Frame } from '../../console-layout.tsx';
import { FaultyFields, TextField } from '../../fields.tsx';
import { ListTable } from '../../list-table.tsx';
import { EmptyState, EntryForm, Pager, Panel, Problems } from '../../parts.tsx';
import { sectionPath } from '../../sections.ts';
import { SECTION } from '../template-layout.tsx';

interface ProjectsPageProps {
  frame: Frame;
  projects: Project[];
  /** Identifier behind which the next page begins. */
  next?: string;
  isFirst?: boolean;
  typed?: string;
  messages?: Issue[];
}

/** The account's projects, newest first: groups of templates between which passes may move. */
export function ProjectsPage({ frame, projects, next, isFirst = true, typed, messages = [] }: ProjectsPageProps) {
  const base = sectionPath(frame.account.id, SECTION, 'projects');
  const mayEdit = hasPrivilege(frame.privileges, 'templates.edit');
  return (
    <AccountLayout frame={frame} title="Projects" section={SECTION}>
      <p class="lead">
        Passes can move between the templates of one project, for example from a silver to a gold card. Set the project
        on the page of a template.
      </p>
      <Problems messages={messages} />
      {projects.length === 0 ? (
        <EmptyState title="No projects yet">Create a project, then select it in its templates.</EmptyState>
      ) : (
        <Panel id="projects" title="Projects of this account">
          <ListTable columns={['Name', 'Identifier']} hasActions={mayEdit}>
            {projects.map(({ identifier, name }) => (
              <tr>
                <th scope="row">{name}</th>
                <td data-label="Identifier">
                  <code>{identifier}</code>
                </td>
                {mayEdit && (
                  <td>
                    <a class="button small quiet" href={`${base}/${identifier}`} aria-label={`Rename ${name}`}>
                      Rename
                    </a>
                  </td>
                )}
              </tr>
            ))}
          </ListTable>
        </Panel>
      )}
      <Pager older={next && `${base}?before=${next}`} newer={isFirst ? undefined : base} />
      {mayEdit && (
        <form class="panel stack" method="post" action={base}>
          <FaultyFields messages={messages}>
            <TextField name="name" label="Project name" value={typed} required more={{ maxlength: 500 }} />
          </FaultyFields>
          <button class="button" type="submit">
            Create project
          </button>
        </form>
      )}
    </AccountLayout>
  );
}

interface RenameProjectPageProps {
  frame: Frame;
  project: Project;
  typed?: string;
  messages?: Issue[];
}

/** Gives a project another name. */
export function RenameProjectPage({ frame, project, typed, messages }: RenameProjectPageProps) {
  const base = sectionPath(frame.account.id, SECTION, 'projects');
  return (
    <AccountLayout frame={frame} title={`Rename ${project.name}`} section={SECTION}>
      <EntryForm messages={messages} action={`${base}/${project.identifier}`} button="Rename" back={base}>
        <TextField name="name" label="Name" value={typed ?? project.name} required more={{ maxlength: 500 }} />
      </EntryForm>
    </AccountLayout>
  );
}
