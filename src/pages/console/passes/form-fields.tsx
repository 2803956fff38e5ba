import { SelectField, TextArea, TextField } from '../fields.tsx';
import { type FormValues, inputName } from './form-values.ts';
import { FORM_GROUPS, type FormField, type InputKind } from './pass-form.ts';

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
export function FieldGroups({ fields, values }: { fields: FormField[]; values: FormValues }) {
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
