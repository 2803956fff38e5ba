import { type Child, createContext, useContext } from 'hono/jsx';
import type { Issue } from '../../domain/errors.ts';
import { useViewer } from './viewer.ts';

/*
 * Form controls of the console. They work without scripts. A rejected form shows the submitted values and the issues
 * again.
 */

/** Issues of the form around a field. */
const Found = createContext<Issue[]>([]);

/** Lets all fields below show their issues. */
export function FaultyFields({ children }: { children: Child }) {
  return <Found.Provider value={useViewer().issues}>{children}</Found.Provider>;
}

/** Adds a field's issue to its properties. Issues of a pass refer to fields by label. */
function withFault<Props extends FieldProps>(props: Props): Props {
  const issue = useContext(Found).find(({ path }) => path === props.name || path === props.label);
  return issue === undefined || props.error ? props : { ...props, error: issue.message };
}

interface FieldProps {
  name: string;
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

export interface Option {
  value: string;
  title: string;
}

interface SelectFieldProps extends FieldProps {
  options: Option[];
  value?: string;
}

/** A labeled list to choose one value from. */
export function SelectField({ options, value, ...given }: SelectFieldProps) {
  const props = withFault(given);
  return (
    <Labelled {...props}>
      <select {...controlOf(props)}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.title}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Labelled({ name, label, hint, error, required, children }: FieldProps & { children: Child }) {
  return (
    <div class="field">
      <label for={name}>
        {label}
        {required === false && <span class="quiet"> (optional)</span>}
      </label>
      {hint && (
        <p class="hint" id={`${name}-hint`}>
          {hint}
        </p>
      )}
      {children}
      {error && (
        <p class="field-error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

/** Returns the attributes that all labeled controls share. */
function controlOf({ name, hint, error, required }: FieldProps) {
  const describedBy = [hint ? `${name}-hint` : '', error ? `${name}-error` : ''].join(' ').trim() || undefined;
  const invalid = error ? ('true' as const) : undefined;
  return { id: name, name, required, 'aria-describedby': describedBy, 'aria-invalid': invalid };
}

interface CheckboxesProps {
  name: string;
  legend: string;
  options: (Option & { hint?: string })[];
  values: string[];
}

/** A group of checkboxes. */
export function Checkboxes({ name, legend, options, values }: CheckboxesProps) {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {options.map(({ value, title, hint }) => (
        <Checkbox name={name} label={title} hint={hint} value={value} checked={values.includes(value)} />
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
  return <Choice type="checkbox" {...props} />;
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
