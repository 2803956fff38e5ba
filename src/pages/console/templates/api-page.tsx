import type { FieldInformation } from '../../../domain/passes/values/field-information.ts';
import type { Template } from '../../../domain/templates/table.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import type { Frame } from '../console-layout.tsx';
import { ListTable } from '../list-table.tsx';
import { TemplateLayout } from './template-layout.tsx';

export interface ApiPageProps {
  frame: Frame;
  template: Template;
  fields: FieldInformation[];
  baseUrl: string;
}

/** One template: what a caller needs to know to make passes of it. */
export function ApiPage({ frame, template, fields, baseUrl }: ApiPageProps) {
  const address = `${baseUrl}/api/pass-template/${template.id}?integrationStyle=true`;
  return (
    <TemplateLayout frame={frame} template={template} current="api">
      <dl class="facts">
        <div>
          <dt>Passes</dt>
          <dd>{template.passCount.toLocaleString('en')}</dd>
        </div>
        <div>
          <dt>Template identifier</dt>
          <dd>
            <code>{template.id}</code>
          </dd>
        </div>
      </dl>
      <section class="panel" aria-labelledby="fields">
        <header>
          <h2 id="fields">Field information</h2>
          <a href="/docs#createPassV3">Create a pass with the API</a>
        </header>
        <ListTable columns={['Label', 'Key', 'Type', 'Required']}>
          {fields.map(({ key, label, type, required }) => (
            <tr>
              <th scope="row">{label}</th>
              <td data-label="Key">
                <code>{key}</code>
              </td>
              <td data-label="Type">{type}</td>
              <td data-label="Required">{required ? 'Yes' : 'No'}</td>
            </tr>
          ))}
        </ListTable>
        <CodeBlock
          title="Field information from the API"
          code={`curl "${address}" \\\n  -H "Authorization: $API_KEY"`}
        />
      </section>
    </TemplateLayout>
  );
}
