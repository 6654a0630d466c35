/** Whether Kindred and all that it is built on run on a version of Node.js, like `22.13.0`. */
export function isSupportedNode(version: string): boolean;
