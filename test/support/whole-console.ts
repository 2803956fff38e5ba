import { loadSection, SECTION_ROUTES } from '../../src/pages/console/section-routes.ts';

/** All sections of the console. */
export const allSections = await Promise.all(Object.keys(SECTION_ROUTES).map(loadSection));
