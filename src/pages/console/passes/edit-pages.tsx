import type { Issue } from '../../../domain/errors.ts';
import type { DefinedPass } from '../../../domain/passes/find-pass.ts';
import type { SearchChoices } from '../../../domain/search/choices.ts';
import { AccountLayout, type Frame } from '../console-layout.tsx';
import { SelectField } from '../fields.tsx';
import { EmptyState, EntryForm, FormActions, Problems } from '../parts.tsx';
import { sectionPath } from '../sections.ts';
import { passTitle } from './columns.tsx';
import { FieldGroups } from './form-fields.tsx';
import type { FormValues } from './form-values.ts';
import type { FormField } from './pass-form.ts';
import { SECTION } from './pass-list-page.tsx';

interface EditPassPageProps {
  frame: Frame;
  found: DefinedPass;
  fields: FormField[];
  /** What the form began with; only what differs from it is saved. */
  before: FormValues;
  values: FormValues;
  messages?: Issue[];
}

/** Every writable field of a pass. */
export function EditPassPage({ frame, found: { pass }, fields, before, values, messages }: EditPassPageProps) {
  const base = sectionPath(frame.account.id, SECTION, pass.id);
  const title = passTitle(pass);
  return (
    <AccountLayout frame={frame} title={`Edit ${title}`} section={SECTION} trail={[{ title, href: base }]}>
      <EntryForm messages={messages} action={`${base}/edit`} look="pass-form" button="Save" back={base}>
        <input type="hidden" name="before" value={JSON.stringify(before)} />
        <FieldGroups fields={fields} values={values} />
      </EntryForm>
    </AccountLayout>
  );
}

interface NewPassPageProps {
  frame: Frame;
  choices: SearchChoices;
  templateId: string;
  fields: FormField[];
  values: FormValues;
  messages?: Issue[];
}

/** A pass of a template: the template is chosen first, because it says what the pass holds. */
export function NewPassPage({ frame, choices, templateId, fields, values, messages = [] }: NewPassPageProps) {
  const base = sectionPath(frame.account.id, SECTION);
  if (choices.templates.length === 0) return <NoTemplates frame={frame} title="Create pass" />;
  return (
    <AccountLayout frame={frame} title="Create pass" section={SECTION}>
      <Problems messages={messages} />
      <form class="panel choose" method="get" action={`${base}/new`}>
        <TemplateChoice choices={choices} templateId={templateId} />
        <button class="button quiet" type="submit">
          {choices.definition ? 'Change template' : 'Continue'}
        </button>
      </form>
      {choices.definition && (
        <form class="pass-form" method="post" action={base}>
          <input type="hidden" name="template" value={templateId} />
          <FieldGroups fields={fields} values={values} />
          <FormActions button="Create pass" back={base} />
        </form>
      )}
    </AccountLayout>
  );
}

/** The account's templates to choose from. */
export function TemplateChoice({ choices, templateId }: { choices: SearchChoices; templateId: string }) {
  const options = choices.templates.map(({ id, name }) => ({ value: id, title: name }));
  return <SelectField name="template" label="Template" options={options} value={templateId} />;
}

/** In place of a form that needs a template. */
export function NoTemplates({ frame, title }: { frame: Frame; title: string }) {
  const action = (
    <a class="button" href={sectionPath(frame.account.id, 'templates')}>
      View templates
    </a>
  );
  return (
    <AccountLayout frame={frame} title={title} section={SECTION}>
      <EmptyState title="No templates yet" action={action}>
        Passes need a template. Create one first.
      </EmptyState>
    </AccountLayout>
  );
}
