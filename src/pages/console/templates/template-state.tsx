import type { Template } from '../../../domain/templates/table.ts';
import { Badge } from '../parts.tsx';
import { Time } from '../time.tsx';

interface TemplateStateProps {
  template: Pick<Template, 'version' | 'publishedVersion'>;
  /** Time of the scheduled publication (UTC milliseconds). */
  publicationAt?: number | null;
}

/** Whether existing passes show the newest definition. */
export function TemplateState({ template, publicationAt }: TemplateStateProps) {
  if (template.publishedVersion >= template.version) return <Badge tone="good">Published</Badge>;
  if (publicationAt == null) return <Badge tone="careful">Draft changes</Badge>;
  return (
    <Badge tone="calm">
      Publishes <Time at={publicationAt} />
    </Badge>
  );
}
