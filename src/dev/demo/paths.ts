/** Path prefix of the demo's forms. */
export const DEMO_PATH = '/dev/demo';
