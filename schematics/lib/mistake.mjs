import { SchematicsException } from '@angular-devkit/schematics';

/** Something that whoever called the generator can fix. `message` is one line with the fix; nothing is written. */
export class Mistake extends SchematicsException {}
