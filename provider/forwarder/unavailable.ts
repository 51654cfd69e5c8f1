import { OptionsError } from "../client";

/**
 * Thrown for what a configuration needs and the machine lacks at present: a file or variable that it names, an address to listen
 * on, a package. A later start may succeed; any other {@link OptionsError} is a mistake in the configuration.
 */
export class Unavailable extends OptionsError {}
