import type { Template } from '../../../domain/templates/table.ts';
import type { Frame } from '../console-layout.tsx';
import { Confirm } from '../parts.tsx';
import { TemplateLayout, templatePath } from './template-layout.tsx';

/** Asks before a template goes, with all that goes with it. */
export function DeleteTemplatePage({ frame, template }: { frame: Frame; template: Template }) {
  const path = templatePath(frame.account.id, template.id);
  const { passCount, name } = template;
  const goes = passCount === 1 ? 'Its one pass goes' : `Its ${passCount.toLocaleString('en')} passes go`;
  return (
    <TemplateLayout frame={frame} template={template} title={`Delete ${name}?`}>
      <Confirm
        action={`${path}/delete`}
        button={
          passCount === 0
            ? 'Delete the template'
            : `Delete the template and ${passCount === 1 ? 'its pass' : 'its passes'}`
        }
        back={path}
        fields={{ name }}
      >
        <p>
          <strong>{name}</strong> is gone at once: nobody can make passes of it any more, and what was scheduled for it
          does not take place.
        </p>
        <p>
          {passCount === 0
            ? 'It has no passes.'
            : `${goes} with it: their pages and files cannot be opened any more, and devices that have them hear of it. This happens in the background.`}{' '}
          It cannot be undone.
        </p>
      </Confirm>
    </TemplateLayout>
  );
}
