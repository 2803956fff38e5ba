import type { Template } from '../../../domain/templates/table.ts';
import { Confirm, formatNumber } from '../parts.tsx';
import { hrefTo } from '../viewer.ts';
import { SECTION, TemplateLayout } from './template-layout.tsx';

/** Confirmation page before a template and its passes are deleted. */
export function DeleteTemplatePage({ template }: { template: Template }) {
  const path = hrefTo(SECTION, template.id);
  const { passCount, name } = template;
  const goes = passCount === 1 ? 'Its pass is deleted, too' : `Its ${formatNumber(passCount)} passes are deleted, too`;
  return (
    <TemplateLayout template={template} title={`Delete ${name}?`}>
      <Confirm
        action={`${path}/delete`}
        button={
          passCount === 0 ? 'Delete template' : `Delete template and ${passCount === 1 ? 'its pass' : 'its passes'}`
        }
        back={path}
        fields={{ name }}
      >
        <p>
          <strong>{name}</strong> is deleted at once. You can’t create passes from it anymore, and its scheduled pushes
          and publications are canceled.
        </p>
        <p>
          {passCount === 0
            ? 'It has no passes.'
            : `${goes}. Their pages and files stop working, and their devices are notified. This happens in the background.`}{' '}
          You can’t undo this.
        </p>
      </Confirm>
    </TemplateLayout>
  );
}
