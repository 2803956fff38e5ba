import { PASS_TYPES, TRANSIT_TYPES } from '../../../../domain/templates/definition.ts';
import { sectionPath } from '../../sections.ts';
import { Group, Part, Select, Text, useForm } from './controls.tsx';
import { TYPE_TITLES } from './type-titles.ts';

const TRANSIT_TITLES: Record<(typeof TRANSIT_TYPES)[number], string> = {
  PKTransitTypeAir: 'Flight',
  PKTransitTypeBoat: 'Boat',
  PKTransitTypeBus: 'Bus',
  PKTransitTypeGeneric: 'Other',
  PKTransitTypeTrain: 'Train',
};

const SCHEMES = {
  posterEventTicket: 'Poster event ticket (iOS 18)',
  semanticBoardingPass: 'Boarding pass of iOS 26',
};

/** The names of the template, and the pass type. */
export function GeneralPart() {
  const form = useForm();
  const { projects, passTypeIds, template } = form.opened;
  const projectsPath = sectionPath(template.accountId, 'templates', 'projects');
  const types = Object.fromEntries(PASS_TYPES.map((type) => [type, TYPE_TITLES[type]]));
  const transits = Object.fromEntries(TRANSIT_TYPES.map((type) => [type, TRANSIT_TITLES[type]]));
  const fixed =
    template.passCount > 0
      ? 'You can’t change the type while the template has passes, because wallets can’t convert them.'
      : undefined;
  return (
    <Part name="general">
      <Group title="Names">
        <Text name="name" label="Name" hint="Shown to members only." />
        <Text
          name="organizationName"
          label="Organization"
          hint="The issuer of the pass, shown in wallets and e-mails."
        />
        <Text
          name="description"
          label="Description"
          hint="A short description. Screen readers announce it, and the download page shows it."
        />
      </Group>
      <Group columns title="Type" text={fixed}>
        <Select name="type" label="Type" options={types} />
        <div class="for-boarding">
          <Select name="transitType" label="Transit type" options={transits} none="Choose …" />
        </div>
        <Select
          name="preferredStyleScheme"
          label="Newer style"
          options={SCHEMES}
          none="None"
          hint="Supported phones show the newer style, others show the classic pass. preferredStyleSchemes in Apple features takes precedence."
        />
      </Group>
      <Group columns title="Template settings">
        <Select
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
          name="passTypeId"
          label="Certificate (pass type)"
          options={Object.fromEntries(passTypeIds.map((id) => [id, id]))}
          none="Account default"
        />
        <Text
          name="userProvidedId"
          label="External ID"
          hint="Your own identifier for the template. Must be unique in the account."
        />
      </Group>
    </Part>
  );
}
