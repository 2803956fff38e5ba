export const ROOT: string;
export function oldNodeProblem(version: string): string | undefined;
export function isInstalled(root: string): boolean;
export function projectNode(root: string): string;
export function install(root: string): string | undefined;
