import { PASS_TYPES, TRANSIT_TYPES } from '../../../../domain/templates/definition.ts';
import { sectionPath } from '../../sections.ts';
import { Group, Part, Select, Text } from './controls.tsx';
import type { DesignerForm } from './designer-form.ts';
import { TYPE_TITLES } from './type-titles.ts';

const TRANSIT_TITLES: Record<(typeof TRANSIT_TYPES)[number], string> = {
  PKTransitTypeAir: 'Flight',
  PKTransitTypeBoat: 'Boat',
  PKTransitTypeBus: 'Bus',
  PKTransitTypeGeneric: 'Any other',
  PKTransitTypeTrain: 'Train',
};

const SCHEMES = {
  posterEventTicket: 'Poster event ticket (iOS 18)',
  semanticBoardingPass: 'Boarding pass of iOS 26',
};

/** What the template is called and what kind of pass it makes. */
export function GeneralPart({ form }: { form: DesignerForm }) {
  const { projects, passTypeIds, template } = form.opened;
  const projectsPath = sectionPath(template.accountId, 'templates', 'projects');
  const types = Object.fromEntries(PASS_TYPES.map((type) => [type, TYPE_TITLES[type]]));
  const transits = Object.fromEntries(TRANSIT_TYPES.map((type) => [type, TRANSIT_TITLES[type]]));
  const fixed =
    template.passCount > 0
      ? 'You can’t change the type while there are passes, because wallets can’t convert them.'
      : undefined;
  return (
    <Part name="general">
      <Group title="Names">
        <Text form={form} name="name" label="Name" hint="Shown to members only." />
        <Text
          form={form}
          name="organizationName"
          label="Organization"
          hint="The issuer of the pass, shown in wallets and mails."
        />
        <Text
          form={form}
          name="description"
          label="Description"
          hint="A short description. Screen readers announce it, and the download page shows it."
        />
      </Group>
      <Group columns title="Type" text={fixed}>
        <Select form={form} name="type" label="Type" options={types} />
        <div class="for-boarding">
          <Select form={form} name="transitType" label="Means of transport" options={transits} none="Choose …" />
        </div>
        <Select
          form={form}
          name="preferredStyleScheme"
          label="Newer style"
          options={SCHEMES}
          none="None"
          hint="Shown on supported phones. Others show the classic pass."
        />
      </Group>
      <Group columns title="Organization of templates">
        <Select
          form={form}
          name="projectId"
          label="Project"
          options={Object.fromEntries(projects.map(({ id, name }) => [id, name]))}
          none="None"
          hint={
            <>
              Passes can move between templates of one project. <a href={projectsPath}>All projects</a>
            </>
          }
        />
        <Select
          form={form}
          name="passTypeId"
          label="Certificate (pass type)"
          options={Object.fromEntries(passTypeIds.map((id) => [id, id]))}
          none="Default of the account"
        />
        <Text
          form={form}
          name="userProvidedId"
          label="External ID"
          hint="Your own name for the template, unique in the account."
        />
      </Group>
    </Part>
  );
}
