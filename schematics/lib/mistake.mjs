import { SchematicsException } from '@angular-devkit/schematics';

/** Something that whoever called the generator can mend. `message` is one line with the mend; nothing is written. */
export class Mistake extends SchematicsException {}
