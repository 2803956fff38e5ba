import { hasPrivilege } from '../../../../domain/users/privileges.ts';
import { AccountLayout, type Frame } from '../../console-layout.tsx';
import { TextField } from '../../fields.tsx';
import { ListTable } from '../../list-table.tsx';
import { EmptyState, Panel, Problems } from '../../parts.tsx';
import { sectionPath } from '../../sections.ts';
import { SECTION } from '../template-layout.tsx';

interface ProjectsPageProps {
  frame: Frame;
  projects: { identifier: string; name: string }[];
  typed?: string;
  messages?: string[];
}

/** The account's projects: groups of templates between which passes may move. */
export function ProjectsPage({ frame, projects, typed, messages = [] }: ProjectsPageProps) {
  return (
    <AccountLayout frame={frame} title="Projects" section={SECTION}>
      <p class="lead">
        Passes can move between the templates of one project, for example from a silver to a gold card. A template says
        on its own page which project it belongs to.
      </p>
      <Problems messages={messages} />
      {projects.length === 0 ? (
        <EmptyState title="No projects yet">
          Create one, then choose it in the templates that belong together.
        </EmptyState>
      ) : (
        <Panel id="projects" title="Projects of this account">
          <ListTable columns={['Name', 'Identifier']}>
            {projects.map(({ identifier, name }) => (
              <tr>
                <th scope="row">{name}</th>
                <td data-label="Identifier">
                  <code>{identifier}</code>
                </td>
              </tr>
            ))}
          </ListTable>
        </Panel>
      )}
      {hasPrivilege(frame.privileges, 'templates.edit') && (
        <form class="panel stack" method="post" action={sectionPath(frame.account.id, SECTION, 'projects')}>
          <TextField name="name" label="Name of a new project" value={typed} required more={{ maxlength: 500 }} />
          <button class="button" type="submit">
            Create project
          </button>
        </form>
      )}
    </AccountLayout>
  );
}
