import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Of so many files that start one after the other, one may drive a browser: several at a time would only wait for the processor. */
const APART = 4;

/** Long files first, as vitest has it, but those with a browser one by one among the others, which mostly wait for queues and alarms. */
export class RunOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const { browser = [], others = [] } = Object.groupBy(sorted, ({ project }) =>
      project.name === 'browser' ? 'browser' : 'others',
    );
    // Files of the Worker are the long ones, those of units end in no time.
    others.sort((a, b) => b.project.name.localeCompare(a.project.name));
    const order = [...others];
    for (const [i, file] of browser.entries()) order.splice(i * APART, 0, file);
    return order;
  }
}
