import { TextField } from './fields.tsx';

interface PeriodFilterProps {
  timezone: string;
  typed: { since: string; until: string };
  /** Where the list stands without a filter. */
  base: string;
  isFiltered: boolean;
}

/** The end of a filter form: a period, and the buttons. */
export function PeriodFilter({ timezone, typed, base, isFiltered }: PeriodFilterProps) {
  return (
    <>
      <TextField name="since" label={`From (${timezone})`} type="datetime-local" value={typed.since} />
      <TextField name="until" label="Before" type="datetime-local" value={typed.until} />
      <div class="actions">
        <button class="button small" type="submit">
          Show
        </button>
        {isFiltered && (
          <a class="button small quiet" href={base}>
            Clear
          </a>
        )}
      </div>
    </>
  );
}
