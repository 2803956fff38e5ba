import { TextField } from './fields.tsx';
import { LinkButton, SubmitButton } from './parts.tsx';
import { useViewer } from './viewer.ts';

interface PeriodFilterProps {
  typed: { since: string; until: string };
  /** Address of the list without a filter. */
  base: string;
  isFiltered: boolean;
}

/** The end of a filter form: a period, and the buttons. */
export function PeriodFilter({ typed, base, isFiltered }: PeriodFilterProps) {
  return (
    <div class="period">
      <TextField
        name="since"
        label={`From (${useViewer().account.timezone})`}
        type="datetime-local"
        value={typed.since}
      />
      <TextField name="until" label="Before" type="datetime-local" value={typed.until} />
      <div class="actions">
        <SubmitButton title="Apply filter" look="small" />
        {isFiltered && <LinkButton href={base} title="Clear filter" look="small quiet" />}
      </div>
    </div>
  );
}

interface FilterLink {
  title: string;
  href: string;
  current: boolean;
}

/** Links that filter a list. */
export function FilterLinks({ label, links }: { label: string; links: FilterLink[] }) {
  return (
    <nav class="filter-links" aria-label={label}>
      {links.map(({ title, href, current }) => (
        <a href={href} aria-current={current ? 'true' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
