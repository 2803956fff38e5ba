import type { FieldInformation } from '../../../domain/passes/values/field-information.ts';
import type { Template } from '../../../domain/templates/table.ts';
import { clientFile } from '../../../platform/client-files.ts';
import { CodeBlock } from '../../docs/code-block.tsx';
import { Table } from '../list-table.tsx';
import { Fact, formatNumber } from '../parts.tsx';
import { TemplateLayout } from './template-layout.tsx';

export interface ApiPageProps {
  template: Template;
  fields: FieldInformation[];
  baseUrl: string;
}

/** Instructions for creating passes of a template by API. */
export function ApiPage({ template, fields, baseUrl }: ApiPageProps) {
  const address = `${baseUrl}/api/pass-template/${template.id}?integrationStyle=true`;
  return (
    <TemplateLayout template={template} current="api" scripts={[clientFile('console/copy-code.ts').path]}>
      <dl class="facts">
        <Fact title="Passes" value={formatNumber(template.passCount)} />
        <Fact title="Template identifier" value={<code>{template.id}</code>} />
      </dl>
      <section class="panel" aria-labelledby="fields">
        <header>
          <h2 id="fields">Field information</h2>
          <a href="/docs#createPassV3">Create a pass with the API</a>
        </header>
        <Table
          rows={fields}
          columns={[
            ['Label', ({ label }) => label],
            ['Key', ({ key }) => <code>{key}</code>],
            ['Type', ({ type }) => type],
            ['Required', ({ required }) => (required ? 'Yes' : 'No')],
          ]}
        />
        <CodeBlock
          title="Field information from the API"
          code={`curl "${address}" \\\n  -H "Authorization: $API_KEY"`}
        />
      </section>
    </TemplateLayout>
  );
}
