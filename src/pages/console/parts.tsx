import type { Child } from 'hono/jsx';

/* What the pages of the console are made of. Forms work without scripts; what was typed comes back with what is wrong with it. */

interface FieldProps {
  name: string;
  label: string;
  /** What to enter, below the label. */
  hint?: Child;
  /** What is wrong with the value. */
  error?: string;
  required?: boolean;
}

interface TextFieldProps extends FieldProps {
  value?: string;
  type?: 'text' | 'email' | 'date' | 'datetime-local' | 'number' | 'url' | 'search' | 'password' | 'color' | 'file';
  /** Attributes of the input beside those that follow from the others. */
  more?: Record<string, string | number | boolean | undefined>;
}

/** A line of text with its label. */
export function TextField({ name, label, hint, error, required, value, type = 'text', more = {} }: TextFieldProps) {
  return (
    <Labelled name={name} label={label} hint={hint} error={error} required={required}>
      <input
        id={name}
        name={name}
        type={type}
        value={value}
        required={required}
        aria-describedby={describedBy(name, hint, error)}
        aria-invalid={error ? 'true' : undefined}
        {...more}
      />
    </Labelled>
  );
}

interface TextAreaProps extends FieldProps {
  value?: string;
  rows?: number;
  more?: TextFieldProps['more'];
}

/** Several lines of text with their label. */
export function TextArea({ name, label, hint, error, required, value, rows = 4, more = {} }: TextAreaProps) {
  return (
    <Labelled name={name} label={label} hint={hint} error={error} required={required}>
      <textarea
        id={name}
        name={name}
        rows={rows}
        required={required}
        aria-describedby={describedBy(name, hint, error)}
        aria-invalid={error ? 'true' : undefined}
        {...more}
      >
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

/** One of several values. */
export function SelectField({ name, label, hint, error, required, options, value }: SelectFieldProps) {
  return (
    <Labelled name={name} label={label} hint={hint} error={error} required={required}>
      <select
        id={name}
        name={name}
        required={required}
        aria-describedby={describedBy(name, hint, error)}
        aria-invalid={error ? 'true' : undefined}
      >
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

function describedBy(name: string, hint?: Child, error?: string): string | undefined {
  return [hint ? `${name}-hint` : '', error ? `${name}-error` : ''].join(' ').trim() || undefined;
}

interface CheckboxesProps {
  name: string;
  legend: string;
  options: (Option & { hint?: string })[];
  values: string[];
}

/** Any of several values. */
export function Checkboxes({ name, legend, options, values }: CheckboxesProps) {
  return (
    <fieldset class="choices">
      <legend>{legend}</legend>
      {options.map(({ value, title, hint }) => (
        <label class="choice">
          <input type="checkbox" name={name} value={value} checked={values.includes(value)} />
          <span>
            {title}
            {hint && <span class="hint">{hint}</span>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** One thing that is on or off. */
export function Checkbox(props: { name: string; label: string; checked?: boolean; hint?: string; value?: string }) {
  const { name, label, checked, hint, value = 'true' } = props;
  return (
    <label class="choice">
      <input type="checkbox" name={name} value={value} checked={checked} />
      <span>
        {label}
        {hint && <span class="hint">{hint}</span>}
      </span>
    </label>
  );
}

/** What a rule found wrong with a form, above it. */
export function Problems({ messages }: { messages: string[] }) {
  if (messages.length === 0) return null;
  return (
    <div class="notice grave" role="alert">
      <p>{messages.length === 1 ? 'That cannot be saved:' : 'Some things cannot be saved:'}</p>
      <ul>
        {messages.map((message) => (
          <li>{message}</li>
        ))}
      </ul>
    </div>
  );
}

export type Tone = 'good' | 'calm' | 'careful' | 'grave';

/** Something to know, in its own box. */
export function Notice({ tone, children }: { tone: Tone; children: Child }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'grave' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** A state in a word. */
export function Badge({ tone, children }: { tone?: Tone; children: Child }) {
  return <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>;
}

/** What stands in place of an empty list: what belongs here, and how to begin. */
export function EmptyState({ title, children, action }: { title: string; children?: Child; action?: Child }) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children && <p class="quiet">{children}</p>}
      {action}
    </div>
  );
}

interface PanelProps {
  /** Also the id of its heading. */
  id: string;
  title: string;
  aside?: Child;
  children: Child;
}

/** A part of a page with a heading of its own. */
export function Panel({ id, title, aside, children }: PanelProps) {
  return (
    <section class="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}

/** A button that sends one form with nothing to fill in. `label` says all where the title alone does not. */
export function ActionButton(props: {
  action: string;
  title: string;
  label?: string;
  tone?: 'grave' | 'quiet';
  fields?: Record<string, string>;
}) {
  const { action, title, label, tone = 'quiet', fields = {} } = props;
  return (
    <form class="inline" method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <button class={`button small ${tone}`} type="submit" aria-label={label}>
        {title}
      </button>
    </form>
  );
}

interface ConfirmProps {
  /** What will happen, in full. */
  children: Child;
  action: string;
  button: string;
  /** Where to go without doing it. */
  back: string;
  fields?: Record<string, string>;
}

/** Asks before something that cannot be undone. */
export function Confirm({ children, action, button, back, fields = {} }: ConfirmProps) {
  return (
    <form class="panel confirm" method="post" action={action}>
      <div>{children}</div>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      <div class="actions">
        <button class="button grave" type="submit">
          {button}
        </button>
        <a class="button quiet" href={back}>
          Cancel
        </a>
      </div>
    </form>
  );
}

/** Links to the pages beside the present one of a list. */
export function Pager({ older, newer }: { older?: string; newer?: string }) {
  if (!older && !newer) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {newer ? <a href={newer}>← Back to the first</a> : <span />}
      {older ? (
        <a href={older} rel="next">
          Next page →
        </a>
      ) : (
        <span />
      )}
    </nav>
  );
}
