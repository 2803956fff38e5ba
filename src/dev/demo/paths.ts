/** Address below which the forms of the demo are. */
export const DEMO_PATH = '/dev/demo';
