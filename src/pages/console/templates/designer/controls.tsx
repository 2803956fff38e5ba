import { type Child, createContext, useContext } from 'hono/jsx';
import { Checkbox, optionsOf, SelectField, TextArea, TextField } from '../../fields.tsx';
import type { DesignerForm, PartName } from './designer-form.ts';
import { PARTS } from './designer-form.ts';
import { type FormTree, itemsAt, textAt } from './form-tree.ts';

/** The form of the controls. */
export const FormContext = createContext<DesignerForm | undefined>(undefined);

/** Returns the form that is being drawn. */
export function useForm(): DesignerForm {
  const form = useContext(FormContext);
  if (!form) throw new Error('Drawn outside of the form of the designer');
  return form;
}

interface Shown {
  hint?: Child;
  more?: Record<string, string | number | boolean | undefined>;
}

/** Returns the issue of a control, or of a value in it. */
function faultAt(name: string): string | undefined {
  const { byName } = useForm().faults;
  const found = Object.keys(byName).find((one) => one === name || one.startsWith(`${name}.`));
  return found && byName[found];
}

interface ControlProps extends Shown {
  /** Path in the definition. */
  name: string;
  label: string;
}

export function Text({ name, label, ...shown }: ControlProps) {
  return <TextField name={name} label={label} value={textAt(useForm().tree, name)} error={faultAt(name)} {...shown} />;
}

/** A number input. It is a text field, because browsers submit an invalid number as an empty value. */
export function Whole({ more, ...props }: ControlProps) {
  return <Text {...props} more={{ inputmode: 'numeric', autocomplete: 'off', ...more }} />;
}

/** A date and time in the account's time zone, `Y-m-d H:i` in the definition. */
export function Moment({ name, label, hint }: ControlProps) {
  const value = textAt(useForm().tree, name).replace(' ', 'T');
  return <TextField name={name} label={label} type="datetime-local" value={value} error={faultAt(name)} hint={hint} />;
}

export function Area({ name, label, rows = 3, ...shown }: ControlProps & { rows?: number }) {
  const value = textAt(useForm().tree, name);
  return (
    <TextArea
      name={name}
      label={label}
      rows={rows}
      // Browsers drop the first line break in the element.
      value={value.startsWith('\n') ? `\n${value}` : value}
      error={faultAt(name)}
      {...shown}
    />
  );
}

/** A list of titled values to choose one from. */
export function Select(props: ControlProps & { options: Record<string, string>; none?: string }) {
  const { name, label, hint, options, none } = props;
  const value = textAt(useForm().tree, name);
  const known = { ...(none === undefined ? {} : { '': none }), ...options };
  // A value that is not among the options is kept.
  const all = value === '' || Object.hasOwn(known, value) ? known : { ...known, [value]: value };
  return (
    <SelectField name={name} label={label} hint={hint} value={value} error={faultAt(name)} options={optionsOf(all)} />
  );
}

export function Check({ name, label, hint }: Omit<ControlProps, 'hint'> & { hint?: string }) {
  return <Checkbox name={name} label={label} hint={hint} checked={textAt(useForm().tree, name) === 'true'} />;
}

/** A group of controls with a heading. Short controls are in two columns. */
export function Group(props: { title: string; text?: Child; columns?: boolean; children: Child }) {
  const { title, text, columns, children } = props;
  return (
    <fieldset class="group">
      <legend>{title}</legend>
      {text && <p class="hint">{text}</p>}
      <div class={columns ? 'group-fields columns' : 'group-fields'}>{children}</div>
    </fieldset>
  );
}

/** A part of the designer, shown while its tab is selected. */
export function Part({ name, children }: { name: PartName; children: Child }) {
  return (
    <section class="part" id={`part-${name}`} data-part={name} aria-labelledby={`part-${name}-title`}>
      <h2 class="visually-hidden" id={`part-${name}-title`}>
        {PARTS[name]}
      </h2>
      {children}
    </section>
  );
}

interface ItemButtonsProps {
  /** Path of the list. */
  list: string;
  at: number;
  count: number;
  /** Name of the item. */
  title: string;
  /** Whether the order of the items matters. */
  ordered?: boolean;
}

/** The buttons of a list item. With scripts, they work without a page load. */
export function ItemButtons({ list, at, count, title, ordered = true }: ItemButtonsProps) {
  const button = (verb: string, sign: string, label: string, disabled = false) => (
    <button
      class="icon-button"
      type="submit"
      name="do"
      value={`${verb}:${list}.${at}`}
      aria-label={`${label}: ${title}`}
      title={label}
      disabled={disabled}
    >
      {sign}
    </button>
  );
  return (
    <div class="item-buttons">
      {ordered && button('up', '↑', 'Move up', at === 0)}
      {ordered && button('down', '↓', 'Move down', at === count - 1)}
      {button('remove', '✕', 'Remove')}
    </div>
  );
}

interface ItemListProps {
  /** Path of the list. */
  list: string;
  /** Title of the button that adds an item. */
  add: string;
  children: (item: FormTree, at: number, count: number) => Child;
}

/** The items of a list, and the button that adds one. */
export function ItemList({ list, add, children: draw }: ItemListProps) {
  const items = itemsAt(useForm().tree, list);
  return (
    <>
      {items.length > 0 && <ol class="items">{items.map((item, at) => draw(item, at, items.length))}</ol>}
      <AddButton list={list} title={add} />
    </>
  );
}

export function AddButton({ list, title }: { list: string; title: string }) {
  return (
    <button class="button small quiet" type="submit" name="do" value={`add:${list}`}>
      {title}
    </button>
  );
}
