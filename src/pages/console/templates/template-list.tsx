import type { TemplateFacts } from '../../../domain/templates/list-defined-templates.ts';
import { ListTable } from '../list-table.tsx';
import { EmptyState, Panel } from '../parts.tsx';
import { sectionPath } from '../sections.ts';

/** The account's templates with their number of passes. */
export function TemplateList({ accountId, templates }: { accountId: string; templates: TemplateFacts[] }) {
  return (
    <Panel id="templates" title="Templates" aside={<a href="/docs#createTemplate">How to create one by API</a>}>
      {templates.length === 0 ? (
        <EmptyState title="No templates yet">A template defines the design and the data of its passes.</EmptyState>
      ) : (
        <ListTable columns={['Name', { title: 'Passes', isNumber: true }]}>
          {templates.map(({ id, name, passCount }) => (
            <tr>
              <th scope="row">
                <a href={sectionPath(accountId, 'templates', id)}>{name}</a>
              </th>
              <td class="number" data-label="Passes">
                {passCount.toLocaleString('en')}
              </td>
            </tr>
          ))}
        </ListTable>
      )}
    </Panel>
  );
}
