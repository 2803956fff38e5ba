import type { DefinedPass } from '../../../domain/passes/find-pass.ts';
import type { SearchChoices } from '../../../domain/search/choices.ts';
import { AccountLayout } from '../console-layout.tsx';
import { namedOptions, SelectField, TextArea, TextField } from '../fields.tsx';
import { EmptyState, EntryForm, FormActions, LinkButton, Problems, SubmitButton } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import { passTitle } from './columns.tsx';
import { type FormValues, inputName } from './form-values.ts';
import { FORM_GROUPS, type FormField, type InputKind } from './pass-form.ts';
import { SECTION } from './pass-list-page.tsx';

interface EditPassPageProps {
  found: DefinedPass;
  fields: FormField[];
  /** Initial form values. Only changed values are saved. */
  before: FormValues;
  values: FormValues;
}

/** The form with all writable fields of a pass. */
export function EditPassPage({ found: { pass }, fields, before, values }: EditPassPageProps) {
  const base = hrefTo(SECTION, pass.id);
  const title = passTitle(pass);
  return (
    <AccountLayout title={`Edit ${title}`} section={SECTION} trail={[{ title, href: base }]}>
      <EntryForm action={`${base}/edit`} look="pass-form" button="Save pass" back={base}>
        <input type="hidden" name="before" value={JSON.stringify(before)} />
        <FieldGroups fields={fields} values={values} />
      </EntryForm>
    </AccountLayout>
  );
}

interface NewPassPageProps {
  choices: SearchChoices;
  templateId: string;
  fields: FormField[];
  values: FormValues;
}

/** The form for a new pass. The template is chosen first, because it defines the fields. */
export function NewPassPage({ choices, templateId, fields, values }: NewPassPageProps) {
  const base = hrefTo(SECTION);
  if (choices.templates.length === 0) return <NoTemplates title="Create pass" />;
  return (
    <AccountLayout title="Create pass" section={SECTION}>
      <Problems />
      <form class="panel choose" method="get" action={`${base}/new`}>
        <TemplateChoice choices={choices} templateId={templateId} />
        {choices.definition ? <SubmitButton title="Change template" look="quiet" /> : <SubmitButton title="Continue" />}
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

/** The list of templates to choose from. */
export function TemplateChoice({ choices, templateId }: { choices: SearchChoices; templateId: string }) {
  return <SelectField name="template" label="Template" options={namedOptions(choices.templates)} value={templateId} />;
}

/** Shown in place of a form that needs a template. */
export function NoTemplates({ title }: { title: string }) {
  const action = <LinkButton href={hrefTo('templates')} title="View templates" />;
  return (
    <AccountLayout title={title} section={SECTION}>
      <EmptyState title="No templates yet" action={action}>
        Passes need a template. Create one first.
      </EmptyState>
    </AccountLayout>
  );
}

const TYPES: Partial<Record<InputKind, 'email' | 'url' | 'date' | 'datetime-local'>> = {
  email: 'email',
  url: 'url',
  date: 'date',
  datetime: 'datetime-local',
};

/** The input for a field, by its type. */
export function FieldInput({ field, value = '' }: { field: FormField; value?: string }) {
  const { key, label, kind, hint, required, options = [] } = field;
  const common = { name: inputName(key), label, hint, required, value };
  if (kind === 'textarea' || kind === 'lines') return <TextArea {...common} rows={3} />;
  if (kind === 'choice' || kind === 'flag') {
    const known = kind === 'flag' ? FLAG_OPTIONS : options.map((option) => ({ value: option, title: option }));
    return <SelectField {...common} options={[{ value: '', title: '–' }, ...known]} />;
  }
  const more = kind === 'number' ? { inputmode: 'decimal' } : kind === 'tel' ? { autocomplete: 'off' } : {};
  return <TextField {...common} type={TYPES[kind] ?? 'text'} more={more} />;
}

const FLAG_OPTIONS = [
  { value: 'true', title: 'Yes' },
  { value: 'false', title: 'No' },
];

/** All fields in groups. The first group is open, the others are collapsed. */
function FieldGroups({ fields, values }: { fields: FormField[]; values: FormValues }) {
  const groups = FORM_GROUPS.map((title) => ({ title, members: fields.filter(({ group }) => group === title) }));
  return (
    <>
      {groups
        .filter(({ members }) => members.length > 0)
        .map(({ title, members }) => (
          <fieldset class="panel field-group">
            <legend>{title}</legend>
            <div class="field-grid">
              {members.map((field) => (
                <FieldInput field={field} value={values[field.key]} />
              ))}
            </div>
          </fieldset>
        ))}
    </>
  );
}
