import { Injectable } from '@nestjs/common';
import { Config } from '../../config/config.js';
import { StartupError } from '../../common/startup-error.js';
import { Database } from '../../postgres/database.js';
import { codeOf } from '../../common/error-code.js';
import { fold, USERNAME } from '../../record/schema/formats.js';
import { kindOf } from '../../record/schema/kind.js';
import { foldedColumn } from '../../record/schema/table.js';
import { Passwords } from '../../auth/passwords.js';
import { generatedPassword } from '../../common/secrets.js';
import { User } from './user.entity.js';

/** Held while checking for an admin and creating one, so that instances that start together create only one. */
const FIRST_ADMIN_LOCK = 7_203_002;

/** The administrator that was created. */
export interface NewAdmin {
  readonly username: string;
  /** The generated password, to be shown once; null when ADMIN_PASSWORD gave it. */
  readonly password: string | null;
}

/** Creates the first administrator from ADMIN_USERNAME, ADMIN_EMAIL and ADMIN_PASSWORD. */
@Injectable()
export class FirstAdmin {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly passwords: Passwords,
  ) {}

  /**
   * Creates an administrator if there is none. Returns null if there is one.
   * @throws StartupError if the settings are invalid
   */
  async ensure(): Promise<NewAdmin | null> {
    const { adminUsername, adminEmail } = this.config;
    if (!USERNAME.test(adminUsername)) throw new StartupError(`ADMIN_USERNAME must be ${USERNAME.rule}.`);
    try {
      return await this.make();
    } catch (error) {
      if (codeOf(error) !== '23505') throw error;
      const who = `${adminUsername} or ${adminEmail}`;
      throw new StartupError(
        `There is no administrator, and ${who} is taken: set ADMIN_USERNAME and ADMIN_EMAIL.`,
      );
    }
  }

  private async make(): Promise<NewAdmin | null> {
    const table = `"${kindOf(User).table}"`;
    const { adminUsername: username, adminEmail: email, adminPassword } = this.config;
    return this.database.transaction(async (tx) => {
      await tx.query({ text: 'SELECT pg_advisory_xact_lock($1)', values: [FIRST_ADMIN_LOCK] });
      const admins = await tx.query({ text: `SELECT 1 FROM ${table} WHERE admin LIMIT 1`, values: [] });
      if (admins.length) return null;
      const password = adminPassword || generatedPassword();
      const columns = `username, "${foldedColumn('username')}", email, "${foldedColumn('email')}", "passwordHash", "useAsDisplayName", admin`;
      await tx.query({
        text: `INSERT INTO ${table} (${columns}) VALUES ($1, $2, $3, $4, $5, 'username', true)`,
        values: [username, fold(username), email, fold(email), await this.passwords.hash(password)],
      });
      return { username, password: adminPassword ? null : password };
    });
  }
}
