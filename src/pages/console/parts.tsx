import type { Child } from 'hono/jsx';
import { describeIssue } from '../../domain/errors.ts';
import { useViewer } from './viewer.ts';

/* Building blocks of the console's pages. */

/** Formats a number with separators, such as 12,345. */
export const formatNumber = (number: number): string => number.toLocaleString('en');

/** Formats a number of passes, such as "1 pass". */
export const formatPassCount = (count: number): string => `${formatNumber(count)} ${count === 1 ? 'pass' : 'passes'}`;

/** Issues of a form, shown above it, by the labels of their fields. */
export async function Problems({ title = 'Not saved:' }: { title?: string }) {
  const { issues, labels } = useViewer();
  if (issues.length === 0) return null;
  // Until then, the fields below have been drawn and have added their labels.
  await undefined;
  return (
    <div class="notice grave" role="alert">
      <p>{title}</p>
      <ul>
        {issues.map(({ path, ...issue }) => (
          <li>{describeIssue({ ...issue, path: labels.get(path) ?? path })}</li>
        ))}
      </ul>
    </div>
  );
}

export type Tone = 'good' | 'calm' | 'careful' | 'grave';

/** A highlighted message. */
export function Notice({ tone, children }: { tone: Tone; children: Child }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'grave' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** A state as a badge. */
export function Badge({ tone, children }: { tone?: Tone; children: Child }) {
  return <span class={tone ? `badge ${tone}` : 'badge'}>{children}</span>;
}

/** Tells members that personal data is hidden from them, and why. */
export function PersonalDataHidden() {
  return (
    <p class="quiet">
      PINs, recipients, passengers, personal properties and links that open the pass are hidden. An owner can grant you
      the privilege <code>personal_data</code>.
    </p>
  );
}

/** Shown in place of an empty list: what it will contain, and how to start. */
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
  /** Also the id of the heading. */
  id: string;
  title: string;
  aside?: Child;
  children: Child;
}

/** A section of a page with its own heading. */
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

/** A labeled value within `<dl class="facts">`. `told` names a figure that a script keeps up to date. */
export function Fact({ title, value, told }: { title: string; value: Child; told?: string }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd data-told={told}>{value}</dd>
    </div>
  );
}

/** Fields of a form that nobody sees. */
export function HiddenFields({ fields }: { fields: Record<string, string> | [name: string, value: string][] }) {
  const entries = Array.isArray(fields) ? fields : Object.entries(fields);
  return (
    <>
      {entries.map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
    </>
  );
}

/** A button that submits a form without fields. `label` is its accessible name if the title alone is ambiguous. */
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
      <HiddenFields fields={fields} />
      <button class={`button small ${tone}`} type="submit" aria-label={label}>
        {title}
      </button>
    </form>
  );
}

/** CSS classes of a button besides `button`. */
type ButtonLook = 'small' | 'quiet' | 'small quiet' | 'grave';

interface LinkButtonProps {
  href: string;
  title: string;
  look?: ButtonLook;
  /** Accessible name, if the title alone is ambiguous. */
  label?: string;
}

/** A link that looks like a button. */
export function LinkButton({ href, title, look, label }: LinkButtonProps) {
  return (
    <a class={look ? `button ${look}` : 'button'} href={href} aria-label={label}>
      {title}
    </a>
  );
}

/** The submit button of the surrounding form. */
export function SubmitButton({ title, look }: { title: string; look?: ButtonLook }) {
  return (
    <button class={look ? `button ${look}` : 'button'} type="submit">
      {title}
    </button>
  );
}

interface FormActionsProps {
  /** Title of the submit button. */
  button: string;
  /** Address of the cancel link. */
  back: string;
  tone?: 'grave';
  disabled?: boolean;
}

/** The end of a form: the submit button and the cancel link. */
export function FormActions({ button, back, tone, disabled }: FormActionsProps) {
  return (
    <div class="actions">
      <button class={tone ? `button ${tone}` : 'button'} type="submit" disabled={disabled}>
        {button}
      </button>
      <a class="button quiet" href={back}>
        Cancel
      </a>
    </div>
  );
}

interface EntryFormProps extends Pick<FormActionsProps, 'button' | 'back'> {
  action: string;
  /** CSS classes of the form; default: a narrow panel. */
  look?: string;
  enctype?: 'multipart/form-data';
  children: Child;
}

/** A form for data entry: its issues, its fields, and its buttons. */
export function EntryForm({ action, look = 'panel stack', enctype, button, back, children }: EntryFormProps) {
  return (
    <>
      <Problems />
      <form class={look} method="post" action={action} enctype={enctype}>
        {children}
        <FormActions button={button} back={back} />
      </form>
    </>
  );
}

export interface ConfirmProps {
  /** Full description of the consequences. */
  children: Child;
  action: string;
  button: string;
  /** Address of the cancel link. */
  back: string;
  fields?: Record<string, string>;
}

/** Asks for confirmation before an action that can't be undone. */
export function Confirm({ children, action, button, back, fields = {} }: ConfirmProps) {
  return (
    <form class="panel confirm" method="post" action={action}>
      <div>{children}</div>
      <HiddenFields fields={fields} />
      <FormActions button={button} back={back} tone="grave" />
    </form>
  );
}

/** Links to the previous and next page of a list. */
export function Pager({ older, newer }: { older?: string; newer?: string }) {
  if (!older && !newer) return null;
  return (
    <nav class="pager" aria-label="Pages">
      {newer ? <a href={newer}>← First page</a> : <span />}
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
