/** The oldest minor version that is good for each major one, as `engines` in package.json has it; later majors are. */
const OLDEST = { 20: 19, 22: 13, 24: 11 };

/** Whether Kindred and all that it is built on run on a version of Node.js, like `22.13.0`. */
export function isSupportedNode(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > 24 || minor >= OLDEST[major];
}
