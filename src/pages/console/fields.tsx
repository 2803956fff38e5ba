import { type Child, useContext } from 'hono/jsx';
import { ViewerContext } from './viewer.ts';

/*
 * Form controls of the console. They work without scripts. A rejected form shows the submitted values and the issues
 * again.
 */

/**
 * Returns the issues of a field as one text, and names them in the summary. A path can continue after the name of the
 * field: `allowedIps.0`. Issues of a pass refer to fields by label.
 */
function faultOf(name: string, label: string): string | undefined {
  const viewer = useContext(ViewerContext);
  const own = viewer?.issues.filter(({ path }) => path === label || `${path}.`.startsWith(`${name}.`)) ?? [];
  for (const { path } of own) viewer!.labels.set(path, label);
  return own.map(({ message }) => message).join('; ') || undefined;
}

function withFault<Props extends FieldProps>(props: Props): Props {
  const error = faultOf(props.id ?? props.name, props.label);
  return error === undefined || props.error ? props : { ...props, error };
}

interface FieldProps {
  name: string;
  /** Absent: the name. Needed if several fields have the same name. */
  id?: string;
  label: string;
  /** Hint below the label. */
  hint?: Child;
  /** What is wrong with the value. */
  error?: string;
  required?: boolean;
}

interface TextFieldProps extends FieldProps {
  value?: string;
  type?: 'text' | 'email' | 'date' | 'datetime-local' | 'number' | 'url' | 'search' | 'password' | 'color' | 'file';
  /** Additional attributes of the input. */
  more?: Record<string, string | number | boolean | undefined>;
}

/** A labeled single-line text field. */
export function TextField({ value, type = 'text', more = {}, ...given }: TextFieldProps) {
  const props = withFault(given);
  return (
    <Labelled {...props}>
      <input {...controlOf(props)} type={type} value={value} {...more} />
    </Labelled>
  );
}

interface TextAreaProps extends FieldProps {
  value?: string;
  rows?: number;
  more?: TextFieldProps['more'];
}

/** A labeled multi-line text field. */
export function TextArea({ value, rows = 4, more = {}, ...given }: TextAreaProps) {
  const props = withFault(given);
  return (
    <Labelled {...props}>
      <textarea {...controlOf(props)} rows={rows} {...more}>
        {value}
      </textarea>
    </Labelled>
  );
}

interface Option {
  value: string;
  title: string;
}

/** A labeled list to choose one value from. */
export function SelectField({ options, value, ...given }: FieldProps & { options: Option[]; value?: string }) {
  const props = withFault(given);
  return (
    <Labelled {...props}>
      <select {...controlOf(props)}>
        <Options options={options} value={value} />
      </select>
    </Labelled>
  );
}

/** The options of a list, one of which can be selected. */
export function Options({ options, value }: { options: Option[]; value?: string }) {
  return (
    <>
      {options.map((option) => (
        <option value={option.value} selected={option.value === value}>
          {option.title}
        </option>
      ))}
    </>
  );
}

/** Returns options by value and title. */
export const optionsOf = (titles: Record<string, string>): Option[] =>
  Object.entries(titles).map(([value, title]) => ({ value, title }));

/** Returns options of items with names. */
export const namedOptions = (items: { id: string; name: string }[]): Option[] =>
  items.map(({ id, name }) => ({ value: id, title: name }));

function Labelled({ name, id = name, label, hint, error, required, children }: FieldProps & { children: Child }) {
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required === false && <span class="quiet"> (optional)</span>}
      </label>
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children}
      <FieldError id={id} error={error} />
    </div>
  );
}

function FieldError({ id, error }: { id: string; error?: string }) {
  if (!error) return null;
  return (
    <p class="field-error" id={`${id}-error`}>
      {error}
    </p>
  );
}

/** Returns the attributes that all labeled controls share. */
function controlOf({ name, id = name, hint, error, required }: FieldProps) {
  const describedBy = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].join(' ').trim() || undefined;
  const invalid = error ? ('true' as const) : undefined;
  return { id, name, required, 'aria-describedby': describedBy, 'aria-invalid': invalid };
}

interface CheckboxesProps {
  name: string;
  legend: string;
  hint?: string;
  options: (Option & { hint?: string })[];
  values: string[];
}

/** A group of checkboxes. */
export function Checkboxes({ name, legend, hint, options, values }: CheckboxesProps) {
  const error = faultOf(name, legend);
  return (
    <fieldset class="choices" aria-describedby={error && `${name}-error`}>
      <legend>{legend}</legend>
      {hint && <p class="hint">{hint}</p>}
      <FieldError id={name} error={error} />
      {options.map(({ value, title, hint }) => (
        <Choice type="checkbox" name={name} label={title} hint={hint} value={value} checked={values.includes(value)} />
      ))}
    </fieldset>
  );
}

interface ChoiceProps {
  name: string;
  label: string;
  checked?: boolean;
  hint?: string;
  value?: string;
}

/** A checkbox. */
export function Checkbox(props: ChoiceProps) {
  return (
    <>
      <Choice type="checkbox" {...props} />
      <FieldError id={props.name} error={faultOf(props.name, props.label)} />
    </>
  );
}

/** A radio button. */
export function Radio(props: ChoiceProps & { required?: boolean }) {
  return <Choice type="radio" {...props} />;
}

type ChoiceInput = ChoiceProps & { type: 'checkbox' | 'radio'; required?: boolean };

function Choice({ type, name, label, checked, hint, value = 'true', required }: ChoiceInput) {
  return (
    <label class="choice">
      <input type={type} name={name} value={value} checked={checked} required={required} />
      <span>
        {label}
        {hint && <span class="hint">{hint}</span>}
      </span>
    </label>
  );
}

interface FileFieldProps {
  name: string;
  label: string;
  hint?: string;
  accept: string;
  required?: boolean;
}

/** A field for one file of certain types. */
export function FileField({ accept, ...field }: FileFieldProps) {
  return <TextField {...field} type="file" more={{ accept }} />;
}
